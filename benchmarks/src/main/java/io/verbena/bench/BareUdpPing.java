package io.verbena.bench;

import org.HdrHistogram.Histogram;

/** bare_lat over UDP: a datagram for a datagram, with the system calls of the UDP link and nothing else. */
final class BareUdpPing extends Side {
    /** Empty looks, of a microsecond each, before giving way. */
    private static final int EMPTY_LOOKS = 100;

    private final BareSocket socket;
    private final BareSocket.Messages out;
    private final BareSocket.Messages in;
    private final Histogram times;
    private final Patience patience;

    /** Makes an end; the one with times begins and measures. Datagrams get lost, so no wait lasts for ever. */
    BareUdpPing(StopFlag stop, BareSocket socket, int bytes, Histogram times, Patience patience) {
        super(stop);
        this.socket = socket;
        this.times = times;
        this.patience = patience;
        out = socket.outgoing(1, bytes, bytes);
        in = socket.incoming(1, bytes);
    }

    @Override
    public void run(long count) {
        long last = System.nanoTime();
        for (long left = count; left > 0; left -= BATCH) {
            int some = (int) Math.min(left, BATCH);
            if (times == null) {
                answer(some);
            } else {
                last = ask(some, last);
            }
        }
    }

    private long ask(int count, long begin) {
        long last = begin;
        for (int i = 0; i < count; i++) {
            send();
            // As for verbs: from departure to departure, and noted while the datagram travels.
            long now = System.nanoTime();
            times.recordValue(Math.min(now - last, Rig.LONGEST_NS));
            last = now;
            receive();
        }
        return last;
    }

    private void answer(int count) {
        for (int i = 0; i < count; i++) {
            receive();
            send();
        }
    }

    private void send() {
        int idle = 0;
        long since = 0;
        while (socket.send(out, 0, 1) == 0) {
            if (++idle == EMPTY_LOOKS) {
                since = patience.check(since, () -> ", and the system sends nothing there");
                idle = giveWay();
            }
        }
    }

    private void receive() {
        int idle = 0;
        long since = 0;
        while (socket.receive(in, 1) == 0) {
            if (++idle == EMPTY_LOOKS) {
                since = patience.check(since, () -> "");
                idle = giveWay();
            }
        }
    }
}
