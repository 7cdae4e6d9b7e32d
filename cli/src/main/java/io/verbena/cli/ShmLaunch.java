package io.verbena.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What is launched in each turn of a comparison over shared memory, in this order: neighbours meet the same mood. */
enum ShmLaunch implements Launch {
    /** The floor: two processes pass cache lines back and forth. */
    BARE("bare_lat", "bare ping-pong"),
    /** Round trip of messages. */
    SEND("send_lat", "SEND 64 B round trip"),
    /** The same with thread-safe queues. */
    SEND_SAFE("send_lat --threading safe", "SEND 64 B round trip, SAFE"),
    /** Aeron. */
    AERON("aeron_lat", "Aeron IPC 64 B round trip"),
    /** UCX, if it is installed. */
    UCX(null, "UCX active message 64 B round trip"),
    /** One WRITE. */
    WRITE("write_comp_lat", "WRITE 64 B, post to completion"),
    /** The same with thread-safe queues. */
    WRITE_SAFE("write_comp_lat --threading safe", "WRITE 64 B, post to completion, SAFE"),
    /** One READ of a process that does nothing. */
    READ("read_comp_lat", "READ 64 B of a resting target"),
    /** The same with thread-safe queues. */
    READ_SAFE("read_comp_lat --threading safe", "READ 64 B of a resting target, SAFE"),
    /** One READ of what the other process has just written. */
    READ_FRESH("read_fresh_lat", "READ 64 B of what was just written"),
    /** The same with thread-safe queues. */
    READ_FRESH_SAFE("read_fresh_lat --threading safe", "READ 64 B of what was just written, SAFE"),
    /** One atomic. */
    ATOMIC("atomic_comp_lat", "FETCH_AND_ADD"),
    /** The same with thread-safe queues. */
    ATOMIC_SAFE("atomic_comp_lat --threading safe", "FETCH_AND_ADD, SAFE"),
    /** Messages one after another, with as much room as the ring buffer has. */
    STREAM("send_bw -s 64 -r 2048", "SEND 64 B stream"),
    /** The same with thread-safe queues. */
    STREAM_SAFE("send_bw -s 64 -r 2048 --threading safe", "SEND 64 B stream, SAFE"),
    /** Agrona's ring buffer. */
    RING("ring_bw -s 64", "Agrona one-to-one ring 64 B"),
    /** Large READs. */
    BULK("read_bw -s 1m", "READ 1 MiB"),
    /** A plain copy. */
    COPY("copy_bw -s 1m", "MemorySegment.copy 1 MiB");

    /** Messages a second that are enough, whatever others do. */
    private static final double ENOUGH = 15e6;

    private final String test;
    private final String title;

    ShmLaunch(String test, String title) {
        this.test = test;
        this.title = title;
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean isRate() {
        return compareTo(STREAM) >= 0;
    }

    @Override
    public boolean isOurs() {
        return test != null;
    }

    @Override
    public boolean usesVerbs() {
        return switch (this) {
            case BARE, AERON, UCX, RING, COPY -> false;
            default -> true;
        };
    }

    @Override
    public List<String> words(List<String> options) {
        List<String> words = new ArrayList<>(List.of("perf"));
        words.addAll(List.of(test.split(" ")));
        words.addAll(options);
        words.addAll(this == COPY ? List.of("--json") : List.of("--link", "shm", "--self", "--json"));
        return words;
    }

    /** What is to be reached. */
    static List<Goal> goals() {
        return List.of(
                Goal.times("SEND 64 B round trip, p50", SEND, "p50", BARE, 1.4),
                Goal.times("SEND 64 B round trip, p99", SEND, "p99", BARE, 2),
                Goal.times("WRITE 64 B, post to completion", WRITE, "p50", BARE, 0.25),
                Goal.times("READ 64 B of a resting target", READ, "p50", BARE, 0.25),
                Goal.times("READ 64 B of what was just written", READ_FRESH, "p50", BARE, 0.5),
                Goal.times("FETCH_AND_ADD", ATOMIC, "p50", BARE, 0.5),
                Goal.times("SEND 64 B round trip", SEND, "p50", AERON, 1),
                Goal.times("SEND 64 B round trip", SEND, "p50", UCX, 1),
                Goal.rate("SEND 64 B stream", STREAM, RING, 0.9).orEnough(ENOUGH),
                Goal.rate("READ 1 MiB", BULK, COPY, 0.9));
    }
}
