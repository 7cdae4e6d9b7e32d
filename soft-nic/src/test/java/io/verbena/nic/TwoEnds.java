package io.verbena.nic;

import io.verbena.verbs.QueuePairState;
import java.util.Random;

/** Two ends, connected with each other. */
final class TwoEnds implements AutoCloseable {
    private static final int PSN_MASK = 0xFF_FFFF;

    final End a;
    final End b;
    private final Random random = new Random(1);

    TwoEnds(Setup setup) {
        a = new End(setup.deviceA(), setup);
        b = new End(setup.deviceB(), setup);
        connect();
    }

    /** Connects two queue pairs in RESET. */
    void connect() {
        int psnA = random.nextInt() & PSN_MASK;
        int psnB = random.nextInt() & PSN_MASK;
        a.connect(b.address(psnB), psnA);
        b.connect(a.address(psnA), psnB);
    }

    /** Through RESET to a new connection of the same queue pairs. */
    void reconnect() {
        a.modify(QueuePairState.RESET);
        b.modify(QueuePairState.RESET);
        connect();
    }

    /** New queue pairs, connected. */
    void reopen() {
        a.qp.close();
        b.qp.close();
        a.open();
        b.open();
        connect();
    }

    @Override
    public void close() {
        a.close();
        b.close();
    }
}
