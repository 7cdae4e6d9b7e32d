package io.verbena.bench;

import java.util.function.Consumer;

/** The server of a test over two processes: does its half, and hands on what the client has measured. */
public final class PerfServer {
    private final PerfConfig config;
    private final Meeting meeting;
    private final Progress progress;

    /**
     * Makes a server.
     *
     * @param config what to measure; the client must have been asked for the same
     * @param meeting with the client
     * @param progress told that it goes on
     * @throws PerfException when it was not
     */
    public PerfServer(PerfConfig config, Meeting meeting, Progress progress) {
        this.config = config;
        this.meeting = meeting;
        this.progress = progress;
        meeting.agree(Agreement.of(config));
    }

    /**
     * Serves until the client is done.
     *
     * @param results given the result of each size that the client measured
     * @return whether the waits of bare_lat use Thread.onSpinWait
     * @throws PerfException when an operation fails, or the client fails or ends too early
     */
    public boolean serve(Consumer<PerfResult> results) {
        TestServer server = new TestServer((size, hint) -> Half.of(config.withSize(size), false, hint), meeting,
                () -> progress.at(config.test().label() + ": serving"));
        return Boolean.parseBoolean(server.serve(words -> results.accept(PerfResult.ofWords(config, words))));
    }
}
