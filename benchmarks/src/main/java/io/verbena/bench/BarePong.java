package io.verbena.bench;

import java.lang.foreign.MemorySegment;

/** The second side of bare_lat: watches for a message, copies it out, copies an answer in and publishes it. */
final class BarePong extends Side {
    private static final long THERE = BareMemory.sequence(0);
    private static final long THERE_PAYLOAD = BareMemory.payload(0);
    private static final long BACK = BareMemory.sequence(1);
    private static final long BACK_PAYLOAD = BareMemory.payload(1);
    private static final long OWN = BareMemory.own(1);

    private final long size;
    private final boolean spinHint;
    private long sequence = (long) BareMemory.LONG.getAcquire(BareMemory.ALL, THERE);

    BarePong(StopFlag stop, long size, boolean spinHint) {
        super(stop);
        this.size = size;
        this.spinHint = spinHint;
    }

    @Override
    public void run(long count) {
        for (long left = count; left > 0; left -= BATCH) {
            batch((int) Math.min(left, BATCH));
        }
    }

    private void batch(int count) {
        long bytes = size;
        boolean hint = spinHint;
        int patience = hint ? HINTED_LOOKS : LOOKS;
        long number = sequence;
        for (int i = 0; i < count; i++) {
            number++;
            int idle = 0;
            while ((long) BareMemory.LONG.getAcquire(BareMemory.ALL, THERE) != number) {
                if (hint) {
                    Thread.onSpinWait();
                }
                if (++idle == patience) {
                    idle = giveWay();
                }
            }
            MemorySegment.copy(BareMemory.ALL, THERE_PAYLOAD, BareMemory.ALL, OWN, bytes);
            MemorySegment.copy(BareMemory.ALL, OWN, BareMemory.ALL, BACK_PAYLOAD, bytes);
            BareMemory.LONG.setRelease(BareMemory.ALL, BACK, number);
        }
        sequence = number;
    }
}
