package io.verbena.rc;

import io.verbena.rc.memory.MemoryEntry;
import io.verbena.rc.memory.MemoryTable;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;

/** One end for measurements: every work request is the same, receives never run out, and nothing is allocated. */
final class QuietEnd implements SendSource, CompletionSink {
    static final int LENGTH = 3000;

    final PacketWriter writer = new PacketWriter();
    final PacketView view = new PacketView();
    final RcConnection connection;
    final MemorySegment memory;
    long posted;
    long sent;
    long received;
    long failures;
    int opcode;
    private final long buffers;
    private final long peerBuffers;
    private final int rkey;

    /** The receives: always the same one. */
    private final class Receives implements ReceiveSource {
        private long next;

        @Override
        public boolean hasReceive() {
            return true;
        }

        @Override
        public long takeFitting(long bytes) {
            return take();
        }

        @Override
        public long take() {
            return next++;
        }

        @Override
        public long available() {
            return 100;
        }

        @Override
        public long totalBytes(long receive) {
            return LENGTH;
        }

        @Override
        public int bufferCount(long receive) {
            return 1;
        }

        @Override
        public long buffers(long receive) {
            return peerBuffers;
        }
    }

    QuietEnd(Arena arena, ConnectionConfig config, int sendPsn) {
        memory = arena.allocate(1 << 16, 64);
        long storage = arena.allocate(MemoryTable.bytesFor(8), 64).address();
        var table = new MemoryTable(storage, 8, new Random(5)::nextInt);
        var entry = new MemoryEntry(1, Node.ALL, 0, 1 << 14, memory.address(), 1);
        int lkey = table.insert(entry, MemoryTable.LOCAL);
        rkey = table.insert(entry, MemoryTable.REMOTE);
        buffers = arena.allocate(Sge.BYTES, 8).address();
        peerBuffers = arena.allocate(Sge.BYTES, 8).address();
        Sge.put(buffers, 0, LENGTH, lkey);
        Sge.put(peerBuffers, 4096, LENGTH, lkey);
        connection = new RcConnection(
                config,
                new Host(new HostMemory(table, region -> memory, 1, config.qpNum()), this, new Receives(), this));
        connection.startSending(new ConnectionConfig.Requesting(sendPsn, 1_000_000, 7, 7, 4, 64, true), 0);
        writer.wrap(memory.address() + (1 << 15), PacketView.MAX_BYTES);
    }

    /** Moves everything that one end has to send to the other; whether there was anything. */
    static boolean move(QuietEnd from, QuietEnd to, long now) {
        boolean any = false;
        while (from.connection.nextPacket(from.writer, now)) {
            any = true;
            to.view.wrap(from.writer.address(), from.writer.length() + PacketView.ICRC_BYTES);
            to.connection.onPacket(to.view, now);
        }
        return any;
    }

    @Override
    public long posted() {
        return posted;
    }

    @Override
    public int opcode(long sequence) {
        return opcode;
    }

    @Override
    public int flags(long sequence) {
        return 0;
    }

    @Override
    public long remoteAddress(long sequence) {
        return 8192;
    }

    @Override
    public int rkey(long sequence) {
        return rkey;
    }

    @Override
    public long compareAdd(long sequence) {
        return 1;
    }

    @Override
    public long swap(long sequence) {
        return 2;
    }

    @Override
    public int imm(long sequence) {
        return 3;
    }

    @Override
    public int bufferCount(long sequence) {
        return 1;
    }

    @Override
    public long buffers(long sequence) {
        return buffers;
    }

    @Override
    public int inlineLength(long sequence) {
        return 0;
    }

    @Override
    public int executeLocal(long sequence) {
        return 0;
    }

    @Override
    public boolean sendEnded(long sequence, int status, long bytes) {
        sent++;
        failures += status != 0 ? 1 : 0;
        return true;
    }

    @Override
    public boolean receiveEnded(long receive, int status, Delivery delivery) {
        received++;
        failures += status != 0 ? 1 : 0;
        return true;
    }

    @Override
    public void failed(Kind kind) {
        failures++;
    }

    @Override
    public void established() {}

    @Override
    public void drained() {}
}
