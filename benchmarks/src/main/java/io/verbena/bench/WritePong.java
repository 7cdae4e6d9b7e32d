package io.verbena.bench;

/** The second side of write_lat: watches its own memory and writes an answer. */
final class WritePong extends Side {
    private final WritePort port;
    private int answered;

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
        int number = answered;
        for (int i = 0; i < count; i++) {
            number++;
            int idle = 0;
            while (!mine.arrived(number)) {
                Thread.onSpinWait();
                if (++idle == HINTED_LOOKS) {
                    idle = mine.drive(this, number);
                }
            }
            mine.write(number);
            mine.reclaim(number);
        }
        answered = number;
    }
}
