package io.verbena.bench;

import java.lang.foreign.MemorySegment;

/** The second side of read_fresh_lat: writes its own buffers whenever it is asked to, and says so. */
final class FreshWriter extends Side {
    /** Length of what the sides tell each other. */
    static final int NOTE_BYTES = 8;
    /** Where the buffers are that are read, behind two notes. */
    static final long BUFFER_AT = 256;

    private final WritePort port;
    private final MemorySegment buffer;
    private int answered;

    FreshWriter(StopFlag stop, Endpoint own, PeerMemory peer, long size) {
        super(stop);
        port = new WritePort(own, peer, NOTE_BYTES, 0, stop);
        buffer = own.region().segment().asSlice(BUFFER_AT, buffers(size));
    }

    /** How many bytes all of them take. */
    static long buffers(long size) {
        return GROUP * Rig.stride(size);
    }

    @Override
    public void run(long count) {
        for (long left = count; left > 0; left -= BATCH) {
            batch((int) Math.min(left, BATCH));
        }
    }

    private void batch(int count) {
        WritePort mine = port;
        int number = answered;
        for (int i = 0; i < count; i += GROUP) {
            number++;
            int idle = 0;
            while (!mine.arrived(number)) {
                Thread.onSpinWait();
                if (++idle == HINTED_LOOKS) {
                    idle = mine.drive(this, number);
                }
            }
            buffer.fill((byte) number);
            mine.write(number);
            mine.reclaim(number);
        }
        answered = number;
    }
}
