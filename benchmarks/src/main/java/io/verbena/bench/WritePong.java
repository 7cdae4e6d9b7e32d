package io.verbena.bench;

/** The second side of write_lat: watches its own memory and writes an answer. */
final class WritePong extends Side {
    private final WritePort port;

    WritePong(StopFlag stop, WritePort port) {
        super(stop);
        this.port = port;
    }

    @Override
    public void run(long count) {
        for (long left = count; left > 0; left -= BATCH) {
            batch((int) Math.min(left, BATCH));
        }
    }

    private void batch(int count) {
        WritePort mine = port;
        for (int i = 0; i < count; i++) {
            int idle = 0;
            while (!mine.arrived()) {
                Thread.onSpinWait();
                if (++idle == HINTED_LOOKS) {
                    idle = mine.drive(this);
                }
            }
            mine.write();
            mine.reclaim();
        }
    }
}
