package io.verbena.bench;

import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;

/**
 * One end of a {@link Pingpong} over UDP. The other one may be a program of libibverbs, with which nothing can be
 * agreed on: so there is no warm-up, and the end of such a peer is noticed by its silence ({@link Patience}).
 */
public final class WirePingpong {
    private static final double NS = 1e9;

    private WirePingpong() {}

    /**
     * Does one end, when both processes are of this program.
     *
     * @param config what to do; the other process must have been asked for the same
     * @param meeting with the other process
     * @param progress told how far it is
     * @return the result, as seen from here
     * @throws PerfException when an operation fails or the data differ, or the other process fails or ends too early
     */
    public static Pingpong.Result run(Pingpong.Config config, Meeting meeting, Progress progress) {
        meeting.agree(Agreement.of(config));
        return run(config, new MeetingIntroduction(meeting), progress);
    }

    /**
     * Does one end.
     *
     * @param config what to do
     * @param introduction by which both ends find each other
     * @param progress told how far it is
     * @return the result, as seen from here
     * @throws PerfException when an operation fails or the data differ, or the introduction fails
     */
    public static Pingpong.Result run(Pingpong.Config config, Introduction introduction, Progress progress) {
        try {
            return exchange(config, introduction, progress);
        } catch (PerfException e) {
            throw introduction.giveUp(e);
        } catch (VerbsException e) {
            introduction.giveUp(new PerfException(e.getMessage()));
            throw e;
        }
    }

    private static Pingpong.Result exchange(Pingpong.Config config, Introduction introduction, Progress progress) {
        boolean begins = !introduction.isServer();
        List<QueuePairEndpoint> local = new ArrayList<>();
        List<QueuePairEndpoint> remote = new ArrayList<>();
        StopFlag stop = new StopFlag();
        Crew[] crew = new Crew[1];
        try (Endpoint end = new Endpoint(Pingpong.endpointConfig(config))) {
            Pingpong.prepare(config, end, begins);
            for (int i = 0; i < config.qps(); i++) {
                local.add(end.describe(i, config.path()));
            }
            try {
                introduction.exchange(local, theirs -> {
                    remote.addAll(theirs);
                    for (int i = 0; i < config.qps(); i++) {
                        end.connect(i, local.get(i), remote.get(i), config.path());
                    }
                    crew[0] = new Crew(stop, () -> new PingpongSide(stop, end, config, begins));
                });
                introduction.watch(stop);
                progress.at("pingpong");
                double seconds = crew[0].run(config.iterations()) / NS;
                introduction.finish();
                Pingpong.check(config, end, begins);
                return new Pingpong.Result(config, local, remote, seconds);
            } finally {
                if (crew[0] != null) {
                    crew[0].close();
                }
            }
        }
    }
}
