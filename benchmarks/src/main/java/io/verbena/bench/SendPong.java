package io.verbena.bench;

import io.verbena.verbs.SendFlags;

/** The second side of send_lat: waits for a message and answers it. */
final class SendPong extends Side {
    private final MessagePort port;
    private int sent;

    SendPong(StopFlag stop, MessagePort port) {
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
        MessagePort mine = port;
        Waiter receives = mine.receives;
        int number = sent; // not the field: the other thread's part may lie on the same cache line
        for (int i = 0; i < count; i++) {
            receives.takeReceive();
            boolean signalled = (++number & mine.signalMask) == 0;
            int flags = signalled ? mine.flags | SendFlags.SIGNALED : mine.flags;
            mine.send(flags);
            mine.postReceive();
            if (signalled) {
                mine.reclaim();
            }
        }
        sent = number;
    }
}
