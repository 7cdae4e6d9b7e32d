package io.verbena.nic.shm;

import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import io.verbena.nic.os.UnixSocket;
import io.verbena.nic.ring.ReceiveLane;
import io.verbena.verbs.Gid;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Something to attach to: one queue pair, one region, and a list of what was asked of it. */
final class FakeNic implements Exports, AutoCloseable {
    static final int BOARD_BYTES = 8_192;
    static final int QP_NUM = 77;
    static final int RKEY = 0x1234_5678;
    static final int KINDS = 3;
    static final QueuePairGeometry GEOMETRY = new QueuePairGeometry(16, 2, 0, 256, 7, 4_096, 128);
    static final Message.QueuePairOpened OPENED = new Message.QueuePairOpened(
            GEOMETRY, new Message.Service(0, false), 1, 2, 3, 4, new Attention(0, 64, 128, 3));
    static final int PATIENCE_MS = 2_000;
    private static final int PULSE_AT = 192;
    private static final int ENOENT = 2;

    final Gid gid;
    final MemoryFile board;
    final MemoryFile inbox;
    final SharedPages region;
    final Arena arena = Arena.ofShared();
    final MemorySegment boardMemory;
    final MemorySegment inboxMemory;
    final MemorySegment regionMemory;
    final List<String> calls = new CopyOnWriteArrayList<>();
    final Bells bells = new Bells(() -> { });
    final Couriers couriers;
    final AttachmentService service;
    /** Memory for requests beyond this can't be had. */
    volatile long mostRoom = Long.MAX_VALUE;
    /** So often its service fails from now on. */
    final AtomicInteger failures = new AtomicInteger();
    private long beats;

    FakeNic(Gid gid, int uid) throws IOException {
        this.gid = gid;
        board = MemoryFile.create("board", BOARD_BYTES);
        boardMemory = board.map(true, arena);
        board.sealAgainstNewWriters();
        inbox = MemoryFile.create("inbox", GEOMETRY.inboxBytes());
        inboxMemory = inbox.map(true, arena);
        region = new SharedPages(10_000, arena);
        regionMemory = region.memory();
        couriers = new Couriers(gid, uid, this::ring);
        service = new AttachmentService(gid, uid, this);
    }

    static FakeNic any() throws IOException {
        return new FakeNic(anyGid(), uid());
    }

    static Gid anyGid() {
        return new Gid(0xFE80L << 48, ThreadLocalRandom.current().nextLong());
    }

    static int uid() throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    }

    private void ring() {
        service.ring();
    }

    @Override
    public void beat() {
        boardMemory.set(ValueLayout.JAVA_LONG, PULSE_AT, ++beats);
    }

    @Override
    public long patienceMs() {
        return PATIENCE_MS;
    }

    @Override
    public Borrower borrower(UnixSocket socket) throws OsException {
        return new Borrower(socket, evicted -> calls.add("evicted"));
    }

    @Override
    public List<UnixSocket> couriers() {
        if (failures.get() > 0) {
            failures.decrementAndGet();
            throw new OutOfMemoryError("made up by a test");
        }
        return couriers.sockets();
    }

    @Override
    public void courierEnded(UnixSocket courier) {
        couriers.drop(courier);
    }

    @Override
    public MemoryFile board() {
        return board;
    }

    @Override
    public Bells bells() {
        return bells;
    }

    @Override
    public void datagram(Message.Datagram datagram) {
        calls.add("datagram " + datagram.ends().qpNum() + " " + datagram.payload().length);
    }

    @Override
    public void joined(Gid user) {
        calls.add("joined");
    }

    @Override
    public Connection openQueuePair(Borrower borrower, Gid user, int userQpNum, int qpNum) throws RefusedException {
        if (qpNum != QP_NUM) {
            throw new RefusedException(ENOENT, "there is no queue pair 0x" + Integer.toHexString(qpNum));
        }
        calls.add("open " + userQpNum);
        return new FakeConnection(userQpNum);
    }

    /** Writes down what happens to it. */
    private final class FakeConnection implements Connection {
        private final int userQpNum;

        FakeConnection(int userQpNum) {
            this.userQpNum = userQpNum;
        }

        @Override
        public Message.QueuePairOpened description(int slot) {
            return OPENED;
        }

        @Override
        public ReceiveLane lane() {
            return null;
        }

        @Override
        public MemoryFile inbox() {
            return inbox;
        }

        @Override
        public void notice(int kind) throws RefusedException {
            if (kind < 0 || kind >= KINDS) {
                throw new RefusedException(Guest.EPROTO, "there is no kind " + kind);
            }
            calls.add("notice " + userQpNum + " " + kind);
        }

        @Override
        public void room(MemoryFile memory) {
            if (memory.bytes() > mostRoom) {
                throw new OutOfMemoryError("asked for more than there is");
            }
            calls.add("room " + userQpNum + " " + memory.bytes());
        }

        @Override
        public void fail() {
            calls.add("fail " + userQpNum);
        }

        @Override
        public boolean whileOpen(Action action) throws OsException {
            action.run();
            return true;
        }

        @Override
        public void asked() {
            calls.add("asked " + userQpNum);
        }

        @Override
        public void close(boolean gone) {
            calls.add((gone ? "gone " : "close ") + userQpNum);
        }
    }

    @Override
    public void openRegion(Borrower borrower, int rkey, Lending lending) throws RefusedException, OsException {
        if (rkey != RKEY) {
            throw new RefusedException(ENOENT, "there is no such key");
        }
        lending.run(new Neighbourhood.Share(region, 1_000, 9_000));
    }

    @Override
    public void close() throws OsException {
        service.close();
        couriers.close();
        board.close();
        inbox.close();
        region.close();
        arena.close();
    }
}
