package io.verbena.rc;

import io.verbena.rc.memory.MemoryEntry;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.verbs.Access;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * One end of a connection in tests: memory under one lkey and one rkey, a send queue, receives, and lists of what
 * ended.
 */
final class Node implements SendSource, CompletionSink, AutoCloseable {
    static final int DOMAIN = 1;
    static final int ALL = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC;
    /** By this address requests name the first byte of memory: far from where it is. */
    static final long IOVA = 0x1000_0000L;
    static final int BYTES = 1 << 21;

    /** A send that ended. */
    record Sent(long sequence, WcStatus status, long bytes) {}

    /** A receive that ended. */
    record Received(long receive, WcStatus status, int opcode, long bytes, int flags, int imm, boolean solicited) {}

    final String name;
    final Arena arena = Arena.ofConfined();
    final MemoryTable table;
    final MemorySegment memory = arena.allocate(BYTES, 64);
    final MemorySegment packetMemory = arena.allocate(2L * PacketView.MAX_BYTES, 64);
    final PacketWriter writer = new PacketWriter();
    final PacketView view = new PacketView();
    final List<Sent> sent = new ArrayList<>();
    final List<Received> received = new ArrayList<>();
    final List<String> events = new ArrayList<>();
    final int lkey;
    final int rkey;
    int qpNum;
    int localStatus;
    boolean shared;
    boolean full;
    private final List<Work> works = new ArrayList<>();
    private final List<Long> workBuffers = new ArrayList<>();
    private final List<long[]> receives = new ArrayList<>();
    private int taken;
    private long nothing = -1;
    RcConnection connection;

    Node(String name, int qpNum) {
        this.name = name;
        this.qpNum = qpNum;
        long storage = arena.allocate(MemoryTable.bytesFor(64), 64).address();
        table = new MemoryTable(storage, 64, new Random(qpNum)::nextInt);
        lkey = table.insert(new MemoryEntry(DOMAIN, ALL, IOVA, BYTES, memory.address(), 1), MemoryTable.LOCAL);
        rkey = table.insert(new MemoryEntry(DOMAIN, ALL, IOVA, BYTES, memory.address(), 1), MemoryTable.REMOTE);
    }

    Host host() {
        return new Host(new HostMemory(table, region -> memory, DOMAIN, qpNum), this, new Receives(), this);
    }

    // Memory

    void fill(int at, int length, long seed) {
        byte[] bytes = bytes(length, seed);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, at, length);
    }

    static byte[] bytes(int length, long seed) {
        var bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    byte[] read(int at, int length) {
        return memory.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
    }

    long readLong(int at) {
        return memory.get(ValueLayout.JAVA_LONG, at);
    }

    void writeLong(int at, long value) {
        memory.set(ValueLayout.JAVA_LONG, at, value);
    }

    Work.Place place(int at, long length) {
        return new Work.Place(IOVA + at, length, lkey);
    }

    // Posting

    long post(Work work) {
        long buffers = describe(work.local());
        works.add(work);
        workBuffers.add(buffers);
        return works.size() - 1;
    }

    private long describe(Work.Place... places) {
        long entries = arena.allocate(Math.max(1, places.length) * (long) Sge.BYTES, 8).address();
        for (int i = 0; i < places.length; i++) {
            Sge.put(entries + (long) i * Sge.BYTES, places[i].address(), places[i].length(), places[i].lkey());
        }
        return entries;
    }

    long postReceive(Work.Place... places) {
        long total = Arrays.stream(places).mapToLong(Work.Place::length).sum();
        receives.add(new long[] {describe(places), places.length, total});
        return receives.size() - 1;
    }

    long send(int at, int length) {
        return post(Work.of(Opcode.SEND).local(place(at, length)));
    }

    long write(Node peer, int at, int to, int length) {
        return post(Work.of(Opcode.RDMA_WRITE).remote(IOVA + to, peer.rkey).local(place(at, length)));
    }

    long read(Node peer, int from, int to, int length) {
        return post(Work.of(Opcode.RDMA_READ).remote(IOVA + from, peer.rkey).local(place(to, length)));
    }

    long fetchAdd(Node peer, int at, long addend, int to) {
        return post(Work.of(Opcode.ATOMIC_FETCH_AND_ADD).remote(IOVA + at, peer.rkey).operands(addend, 0)
                .local(place(to, 8)));
    }

    /** The place of a request was given up. */
    void nothingAt(long sequence) {
        nothing = sequence;
    }

    List<WcStatus> sentStatuses() {
        return sent.stream().map(Sent::status).toList();
    }

    List<WcStatus> receivedStatuses() {
        return received.stream().map(Received::status).toList();
    }

    // SendSource

    @Override
    public long posted() {
        return works.size();
    }

    private Work work(long sequence) {
        return works.get((int) sequence);
    }

    @Override
    public int opcode(long sequence) {
        if (sequence == nothing) {
            return NOTHING;
        }
        return work(sequence).opcode() == null ? 99 : work(sequence).opcode().code();
    }

    @Override
    public int flags(long sequence) {
        return work(sequence).flags();
    }

    @Override
    public long remoteAddress(long sequence) {
        return work(sequence).remoteAddress();
    }

    @Override
    public int rkey(long sequence) {
        return work(sequence).rkey();
    }

    @Override
    public long compareAdd(long sequence) {
        return work(sequence).operands()[0];
    }

    @Override
    public long swap(long sequence) {
        return work(sequence).operands()[1];
    }

    @Override
    public int imm(long sequence) {
        return work(sequence).imm();
    }

    @Override
    public int bufferCount(long sequence) {
        return (work(sequence).flags() & SendFlags.INLINE) != 0
                ? INLINE : work(sequence).local().length;
    }

    @Override
    public long buffers(long sequence) {
        if (bufferCount(sequence) == INLINE) {
            return memory.address() + work(sequence).local()[0].address() - IOVA;
        }
        return workBuffers.get((int) sequence);
    }

    @Override
    public int inlineLength(long sequence) {
        return (int) work(sequence).local()[0].length();
    }

    @Override
    public int executeLocal(long sequence) {
        events.add("local " + sequence);
        return localStatus;
    }

    /** The receives, as the engine sees them. */
    private final class Receives implements ReceiveSource {
        @Override
        public boolean hasReceive() {
            return taken < receives.size();
        }

        @Override
        public long takeFitting(long bytes) {
            return !hasReceive() ? NONE : totalBytes(taken) < bytes ? TOO_SHORT : take();
        }

        @Override
        public long take() {
            return hasReceive() ? taken++ : NONE;
        }

        @Override
        public long available() {
            return shared ? -1 : receives.size() - taken;
        }

        @Override
        public long totalBytes(long receive) {
            return receives.get((int) receive)[2];
        }

        @Override
        public int bufferCount(long receive) {
            return (int) receives.get((int) receive)[1];
        }

        @Override
        public long buffers(long receive) {
            return receives.get((int) receive)[0];
        }
    }

    // CompletionSink

    @Override
    public boolean sendEnded(long sequence, int status, long bytes) {
        sent.add(new Sent(sequence, WcStatus.ofCode(status), bytes));
        return !full;
    }

    @Override
    public boolean receiveEnded(long receive, int status, Delivery delivery) {
        received.add(new Received(receive, WcStatus.ofCode(status), delivery.opcode(), delivery.bytes(),
                delivery.flags(), delivery.imm(), delivery.isSolicited()));
        return !full;
    }

    @Override
    public void failed(Kind kind) {
        events.add("failed " + kind);
    }

    @Override
    public void established() {
        events.add("established");
    }

    @Override
    public void drained() {
        events.add("drained");
    }

    @Override
    public void close() {
        arena.close();
    }

    @Override
    public String toString() {
        return name;
    }
}
