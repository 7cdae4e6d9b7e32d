import io.verbena.verbs.Access;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.RouteHeader;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.WcFlags;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Verbena's end of the operations of interop/: what verbs_peer.c says of itself holds here too. Arguments: BIND_ADDRESS
 * PORT OPERATION SIZE PATH_MTU, and for the initiator the target's ADDRESS.
 */
final class VerbsPeer {
    private static final int MESSAGES = 4;
    private static final int MANY = 200;
    private static final int DEPTH = 256;
    private static final int QKEY = 0x1111_1111;
    private static final int IMMEDIATE = 0x1000;
    private static final long WORD = 0x0102_0304_0506_0708L;
    private static final long STEP = 0x1_0000_0001L;
    private static final long WAIT_NANOS = 20_000_000_000L;
    private static final long LATE_MS = 500;
    private static final int ACCESS =
            Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC | Access.MW_BIND;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();

    private final String operation;
    private final long size;
    private final long room;
    private final Context context;
    private final ProtectionDomain domain;
    private final MemorySegment memory;
    private final MemoryRegion region;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final QueuePairEndpoint own;
    private int ownWindow;
    private QueuePairEndpoint peer;
    private long peerAddress;
    private int peerRkey;
    private int peerWindow;
    private AddressHandle handle;

    /** One end, not connected yet. */
    private VerbsPeer(String bindAddress, String operation, long size) {
        this.operation = operation;
        this.size = size;
        room = (size + RouteHeader.BYTES + 63) / 64 * 64;
        context = Devices.open("soft?link=udp&bind=" + bindAddress);
        domain = context.allocateProtectionDomain();
        AllocatedMemory allocated = context.allocateMemory(places() * room, 4096);
        memory = allocated.segment();
        region = domain.register(memory, ACCESS);
        cq = context.createCompletionQueue(CompletionQueueConfig.of(DEPTH));
        qp = domain.createQueuePair(QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(DEPTH)).withType(type()));
        own = new QueuePairEndpoint(context.queryGid(1, 0).gid(), qp.qpNum(),
                (int) (ProcessHandle.current().pid() * 7919 & 0xFF_FFFF));
    }

    /** Runs one operation; see the type's comment. */
    public static void main(String[] words) throws IOException {
        if (words.length != 5 && words.length != 6) {
            fail("usage: VerbsPeer BIND_ADDRESS PORT OPERATION SIZE PATH_MTU [ADDRESS]");
        }
        VerbsPeer end = new VerbsPeer(words[0], words[2], Long.parseLong(words[3]));
        int port = Integer.parseInt(words[1]);
        Mtu mtu = Mtu.ofBytes(Integer.parseInt(words[4]));
        if (words.length == 6) {
            try (Socket socket = new Socket(words[5], port)) {
                end.tell(socket);
                end.hear(reader(socket));
                end.connect(mtu);
                end.initiate();
            }
        } else {
            try (ServerSocket listening = new ServerSocket(port); Socket socket = listening.accept()) {
                BufferedReader lines = reader(socket);
                end.hear(lines);
                end.connect(mtu);
                end.serve(socket, lines);
            }
        }
        System.out.println(words[2] + ": as it should be");
        System.exit(0);
    }

    private static void fail(String format, Object... values) {
        System.out.println(String.format(format, values));
        System.exit(1);
    }

    private boolean is(String name) {
        return operation.equals(name);
    }

    private boolean has(String part) {
        return operation.contains(part);
    }

    private QueuePairType type() {
        return has("ud_") ? QueuePairType.UD : has("uc_") ? QueuePairType.UC : QueuePairType.RC;
    }

    private boolean atomic() {
        return is("cmp_swap") || has("fetch_add");
    }

    private boolean refused() {
        return has("rkey");
    }

    private boolean receives() {
        return has("send") || has("_imm") || has("rnr");
    }

    private int messages() {
        return is("send_inv") || has("rnr") || refused() ? 1 : is("fetch_adds") ? MANY : MESSAGES;
    }

    /** Of messages that memory has room for: a refused access may hit any of the usual ones. */
    private int places() {
        return Math.max(messages(), MESSAGES);
    }

    private int header() {
        return type() == QueuePairType.UD ? RouteHeader.BYTES : 0;
    }

    // --- memory -------------------------------------------------------------------------------------------

    private static byte byteOf(long i, int message, int seed) {
        return (byte) (i + i / 251 + 16 * message + seed);
    }

    private void fill(int message, int seed) {
        for (long i = 0; i < size; i++) {
            memory.set(ValueLayout.JAVA_BYTE, message * room + i, byteOf(i, message, seed));
        }
    }

    private void compare(String what, long at, int message, int seed) {
        for (long i = 0; i < size; i++) {
            byte found = memory.get(ValueLayout.JAVA_BYTE, at + i);
            if (found != byteOf(i, message, seed)) {
                fail("%s: byte %d of message %d is %02x, not %02x", what, i, message, found, byteOf(i, message, seed));
            }
        }
    }

    private void checkWord(String what, long at, long word) {
        if (memory.get(LONG, at) != word) {
            fail("%s: the word is %x, not %x", what, memory.get(LONG, at), word);
        }
    }

    // --- connecting ---------------------------------------------------------------------------------------

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    private void tell(Socket socket) throws IOException {
        String line = String.format("qpn=%x psn=%x gid=%s address=%x rkey=%x window=%x%n", own.qpNum(), own.psn(),
                own.gid().toHex(), region.address(), region.rkey(), ownWindow);
        socket.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
    }

    private void hear(BufferedReader lines) throws IOException {
        String line = String.valueOf(lines.readLine());
        String hex = "=(\\p{XDigit}+)";
        Matcher words = Pattern.compile("qpn" + hex + " psn" + hex + " gid" + hex + " address" + hex + " rkey" + hex
                + " window" + hex).matcher(line);
        if (!words.matches()) {
            fail("the other end says \"%s\"", line);
        }
        peer = new QueuePairEndpoint(Gid.ofHex(words.group(3)), Integer.parseInt(words.group(1), 16),
                Integer.parseInt(words.group(2), 16));
        peerAddress = Long.parseUnsignedLong(words.group(4), 16);
        peerRkey = Integer.parseUnsignedInt(words.group(5), 16);
        peerWindow = Integer.parseUnsignedInt(words.group(6), 16);
    }

    private void connect(Mtu mtu) {
        switch (type()) {
            case RC -> {
                qp.modify(QueuePairAttributes.init(1, ACCESS));
                qp.modify(QueuePairAttributes.readyToReceive(peer).pathMtu(mtu).maxDestRdAtomic(4).minRnrTimer(16));
                qp.modify(QueuePairAttributes.readyToSend(own.psn()).timeout(17).retryCount(7)
                        .rnrRetry(is("rnr_exceeded") ? 0 : 7).maxRdAtomic(4));
            }
            case UC -> {
                qp.modify(QueuePairAttributes.init(1, Access.REMOTE_WRITE));
                qp.modify(QueuePairAttributes.readyToReceiveUc(peer).pathMtu(mtu));
                qp.modify(QueuePairAttributes.readyToSendUc(own.psn()));
            }
            case UD -> {
                qp.modify(QueuePairAttributes.initUd(1, QKEY));
                qp.modify(QueuePairAttributes.readyToReceiveUd());
                qp.modify(QueuePairAttributes.readyToSendUd(own.psn()));
                handle = domain.createAddressHandle(AddressVector.to(peer.gid()));
            }
        }
    }

    /** The next completion; null for none in time. */
    private WorkCompletion completion() {
        WorkCompletion completion = new WorkCompletion();
        long end = System.nanoTime() + WAIT_NANOS;
        while (System.nanoTime() - end < 0) {
            int polled = cq.poll(completion);
            if (polled > 0) {
                return completion;
            } else if (polled < 0) {
                fail("polling failed: %s", PostStatus.describe(polled));
            }
            Thread.yield();
        }
        return null;
    }

    private void expect(String what, WcStatus status) {
        WorkCompletion completion = completion();
        if (completion == null || completion.status() != status) {
            fail("%s: %s, not %s", what, completion == null ? "no completion" : completion, status);
        }
    }

    private static void posted(String what, int status) {
        if (status != PostStatus.OK) {
            fail("can't post %s: %s", what, PostStatus.describe(status));
        }
    }

    // --- the target ---------------------------------------------------------------------------------------

    private void serve(Socket socket, BufferedReader lines) throws IOException {
        if (refused() || is("read")) {
            for (int m = 0; m < MESSAGES; m++) {
                fill(m, 2);
            }
        }
        if (atomic()) {
            memory.set(LONG, 0, WORD);
        }
        if (is("send_inv")) {
            bindWindow();
        }
        if (receives() && !has("rnr")) {
            postReceives();
        }
        tell(socket);
        if (is("rnr")) {
            pause();
            postReceives();
        }
        for (int m = 0; receives() && !is("rnr_exceeded") && m < messages(); m++) {
            checkReceive(m);
        }
        while (lines.read() >= 0) {
            // Nothing is said any more; its end is what is waited for.
        }
        if (is("uc_write")) {
            awaitLast();
        }
        for (int m = 0; m < messages(); m++) {
            if (refused()) {
                compare("memory", m * room, m, 2);
            } else if (!atomic() && !is("read") && !is("rnr_exceeded")) {
                compare("memory", m * room + header(), m, 1);
            }
        }
        if (atomic()) {
            checkWord("memory", 0, WORD + messages() * STEP);
        }
    }

    /** Nobody hears of the arrival of a WRITE over UC, and its completion at the initiator comes before. */
    private void awaitLast() {
        long at = (messages() - 1) * room + size - 1;
        long end = System.nanoTime() + WAIT_NANOS / 4;
        while (size > 0 && System.nanoTime() - end < 0 && (byte) BYTE.getAcquire(memory, at)
                != byteOf(size - 1, messages() - 1, 1)) {
            Thread.yield();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(LATE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void bindWindow() {
        MemoryWindow window = domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_2);
        ownWindow = window.rkey(window.rkey() + 1);
        posted("a bind", qp.postSend(new SendRequests(1, 1).add(0, Opcode.BIND_MW, SendFlags.SIGNALED)
                .bind(window, ownWindow, region, region.address(), room, Access.REMOTE_WRITE)));
        expect("binding", WcStatus.SUCCESS);
    }

    private void postReceives() {
        for (int m = 0; m < messages(); m++) {
            posted("a receive", qp.postReceive(m, region.address() + m * room, room, region.lkey()));
        }
    }

    private void checkReceive(int message) {
        WorkCompletion completion = completion();
        if (completion == null || !completion.isSuccess()) {
            fail("receive %d: %s", message, completion == null ? "nothing came" : completion);
        } else if (completion.byteLen() != size + header()) {
            fail("receive %d: %d bytes, not %d", message, completion.byteLen(), size);
        } else if (has("_imm")
                && ((completion.flags() & WcFlags.WITH_IMM) == 0 || completion.imm() != IMMEDIATE + message)) {
            fail("receive %d: immediate data of %s", message, completion);
        } else if (is("send_inv")
                && ((completion.flags() & WcFlags.WITH_INV) == 0 || completion.invalidatedRkey() != ownWindow)) {
            fail("receive %d: key of %s, not %x", message, completion, ownWindow);
        }
    }

    // --- the initiator ------------------------------------------------------------------------------------

    private void initiate() {
        for (int m = 0; m < MESSAGES && !is("read") && !atomic(); m++) {
            fill(m, 1);
        }
        if (is("send_inv")) {
            useWindow();
            return;
        }
        int rkey = has("wrong_rkey") ? peerRkey ^ 0xFF00 : has("stale_rkey") ? peerRkey ^ 1 : peerRkey;
        for (int m = 0; m < messages(); m++) {
            post(opcode(), m, rkey);
        }
        for (int m = 0; m < messages(); m++) {
            expect(operation, refused() ? WcStatus.REM_ACCESS_ERR
                    : is("rnr_exceeded") ? WcStatus.RNR_RETRY_EXC_ERR : WcStatus.SUCCESS);
        }
        for (int m = 0; m < messages(); m++) {
            if (is("read")) {
                compare("what was read", m * room, m, 2);
            } else if (atomic()) {
                checkWord(operation + ' ' + m, m * room, WORD + m * STEP);
            }
        }
        if (is("cmp_swap")) { // compares with what is no longer there: changes nothing and tells what is
            post(opcode(), 0, rkey);
            expect("failing comparison", WcStatus.SUCCESS);
            checkWord("failing comparison", 0, WORD + MESSAGES * STEP);
        }
    }

    private Opcode opcode() {
        return switch (operation) {
            case "cmp_swap" -> Opcode.ATOMIC_CMP_AND_SWP;
            case "fetch_add", "fetch_adds", "wrong_rkey_atomic" -> Opcode.ATOMIC_FETCH_AND_ADD;
            case "read", "wrong_rkey_read" -> Opcode.RDMA_READ;
            case "write_imm", "uc_write_imm" -> Opcode.RDMA_WRITE_WITH_IMM;
            case "write", "uc_write", "wrong_rkey_write", "stale_rkey_write" -> Opcode.RDMA_WRITE;
            case "send_imm", "uc_send_imm", "ud_send_imm" -> Opcode.SEND_WITH_IMM;
            default -> Opcode.SEND;
        };
    }

    /** A window's life: open, used, taken away by the initiator, of no use any more. */
    private void useWindow() {
        post(Opcode.RDMA_WRITE, 0, peerWindow);
        expect("WRITE through the window", WcStatus.SUCCESS);
        post(Opcode.SEND_WITH_INV, 0, 0);
        expect("SEND_INV", WcStatus.SUCCESS);
        post(Opcode.RDMA_WRITE, 0, peerWindow);
        expect("WRITE through the invalidated window", WcStatus.REM_ACCESS_ERR);
    }

    private void post(Opcode opcode, int message, int rkey) {
        boolean word = opcode == Opcode.ATOMIC_CMP_AND_SWP || opcode == Opcode.ATOMIC_FETCH_AND_ADD;
        SendRequests request = new SendRequests(1, 1).add(message, opcode, SendFlags.SIGNALED);
        if (word || size > 0) {
            request.sge(region.address() + message * room, word ? Long.BYTES : size, region.lkey());
        }
        switch (opcode) {
            case SEND_WITH_INV -> request.invalidate(peerWindow);
            case ATOMIC_FETCH_AND_ADD -> request.remote(peerAddress, rkey).fetchAndAdd(STEP);
            case ATOMIC_CMP_AND_SWP -> request.remote(peerAddress, rkey)
                    .compareAndSwap(WORD + message * STEP, WORD + (message + 1) * STEP);
            case RDMA_WRITE, RDMA_READ -> request.remote(peerAddress + message * room, rkey);
            case RDMA_WRITE_WITH_IMM -> request.remote(peerAddress + message * room, rkey).imm(IMMEDIATE + message);
            default -> request.imm(IMMEDIATE + message);
        }
        if (handle != null) {
            request.to(handle, peer.qpNum(), QKEY);
        }
        posted("message " + message, qp.postSend(request));
    }
}
