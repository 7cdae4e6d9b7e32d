package io.verbena.bench;

import io.verbena.verbs.Context;

/** Two ends with many connected queue pairs, and what making them took. Closing undoes it. */
final class ScaleRig implements AutoCloseable {
    private final Context device;
    private final EndpointConfig end;
    private final MemoryMeter meter = new MemoryMeter();
    private final Endpoint a;
    private final Endpoint b;
    private final double setUpSeconds;
    private MemoryMeter.Usage queues = new MemoryMeter.Usage(0, 0);
    private MemoryMeter.Usage pairs = queues;

    /** Makes everything; closes the device with the rest. */
    ScaleRig(Context device, EndpointConfig end) {
        this.device = device;
        this.end = end;
        meter.since();
        long start = System.nanoTime() - meter.spentNanos();
        a = new Endpoint(end, this::queuesMade);
        try {
            pairs = pairs.plus(meter.since());
            b = new Endpoint(end, this::queuesMade);
            try {
                Endpoint.connect(a, b, PathConfig.DEFAULT);
            } catch (RuntimeException e) {
                b.close();
                throw e;
            }
        } catch (RuntimeException e) {
            a.close();
            throw e;
        }
        pairs = pairs.plus(meter.since());
        setUpSeconds = (System.nanoTime() - start - meter.spentNanos()) / 1e9;
    }

    private void queuesMade() {
        queues = queues.plus(meter.since());
    }

    Endpoint a() {
        return a;
    }

    Endpoint b() {
        return b;
    }

    /** Which queue pair is the active one: one in the middle. */
    int active() {
        return end.qps() / 2;
    }

    int depth() {
        return end.capabilities().maxRecvWr();
    }

    /** Completion queues of both ends. */
    int cqs() {
        return a.cqs() + b.cqs();
    }

    double setUpSeconds() {
        return setUpSeconds;
    }

    MemoryMeter.Usage perQp() {
        return pairs.by(2.0 * end.qps());
    }

    MemoryMeter.Usage perCq() {
        return queues.by(cqs());
    }

    @Override
    public void close() {
        try (device; b; a) {
            // in the reverse order
        }
    }
}
