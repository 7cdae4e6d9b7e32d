package io.verbena.bench;

import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/** The measuring half of a test over two processes; the other one does what it is told through the channel. */
final class ClientRig implements TestRig, Partner {
    private final Histogram histogram = Rig.histogram();
    private final StopFlag stop = new StopFlag();
    private final ControlChannel channel;
    private final Half half;
    private final Session session;
    private boolean failed;

    /** The client of a perf test. */
    static ClientRig of(PerfConfig config, boolean spinHint, Meeting meeting) {
        ClientRig rig = new ClientRig(() -> Half.of(config, true, spinHint), config.size(), spinHint, meeting);
        rig.session.withLeastRun((long) config.queues().qps() * config.queues().txDepth());
        return rig;
    }

    ClientRig(Supplier<Half> source, long size, boolean spinHint, Meeting meeting) {
        channel = meeting.channel();
        channel.watch(stop);
        Half made = null;
        try {
            made = source.get();
            half = made;
            channel.send(TestServer.SETUP + ' ' + size + ' ' + spinHint + ' ' + half.describe());
            half.join(channel.expect(TestServer.PEER, ControlChannel.ANSWER_MS));
            half.settle(channel);
            channel.expect(TestServer.READY, ControlChannel.ANSWER_MS);
            int cpu = meeting.cpu();
            Side.Maker side = half.side(stop, histogram);
            session = new Session(stop, histogram, this, () -> {
                Cores.pin(cpu);
                return side.make();
            });
        } catch (RuntimeException e) {
            fail(e);
            if (made != null) {
                made.close();
            }
            throw e;
        }
    }

    private void fail(RuntimeException e) {
        failed = true;
        channel.fail(String.valueOf(e.getMessage()));
        channel.watch(null);
    }

    @Override
    public PerfResult measure(PerfConfig config, Progress progress) {
        return attempt(() -> Rig.measure(config, session, histogram, progress));
    }

    /** What runs the side here. */
    Session session() {
        return session;
    }

    /** Does something; when it fails because the other process has ended or failed, that is what is told. */
    <T> T attempt(Supplier<T> work) {
        try {
            return work.get();
        } catch (PerfException e) {
            PerfException why = channel.explain(e);
            fail(why);
            throw why;
        }
    }

    // The partner of the session

    @Override
    public void begin(long count) {
        channel.send(TestServer.RUN + ' ' + count);
        channel.expect(TestServer.BEGUN, ControlChannel.ANSWER_MS);
    }

    @Override
    public long finish() {
        return Long.parseLong(channel.expect(TestServer.DONE, 0));
    }

    @Override
    public Thread helper() {
        return channel.reader();
    }

    @Override
    public void close() {
        session.close();
        try {
            if (!failed) {
                channel.watch(null);
                half.check();
                channel.send(TestServer.CLOSE);
                channel.expect(TestServer.CLOSED, ControlChannel.ANSWER_MS);
            }
        } finally {
            half.close();
        }
    }
}
