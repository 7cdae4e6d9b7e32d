package io.verbena.bench;

/** The second side of aeron_lat: waits for a message and answers it. */
final class AeronPong extends Side {
    private final AeronPort port;

    AeronPong(StopFlag stop, AeronPort port) {
        super(stop);
        this.port = port;
    }

    @Override
    public void run(long count) {
        for (long left = count; left > 0; left -= BATCH) {
            batch((int) Math.min(left, BATCH));
            port.work();
        }
    }

    private void batch(int count) {
        AeronPort mine = port;
        for (int i = 0; i < count; i++) {
            int idle = 0;
            while (!mine.receive()) {
                Thread.onSpinWait();
                if (++idle == HINTED_LOOKS) {
                    mine.work();
                    idle = giveWay();
                }
            }
            while (!mine.send()) {
                mine.work();
                giveWay();
            }
        }
    }
}
