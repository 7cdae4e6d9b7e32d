package io.verbena.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Verbena's own comparisons beside the tests of perftest: each takes both sides' samples in turns in one run. */
public enum Comparison {
    /** A signalled WRITE, post and poll on one thread, and the copy, store and load under it. */
    POST_POLL("signalled WRITE, post + poll, against copy + store + load (ns per operation)"),
    /** Large READs and WRITEs, and a plain copy of the same memory. */
    BULK_COST("1 MiB READ and WRITE against MemorySegment.copy (bandwidth)"),
    /** Asynchronous READs on one thread, and READs by verbs. */
    ASYNC_READ("READ of 64 B by the asynchronous API against verbs' post + poll (ns per operation)"),
    /** Many virtual threads that wait for READs on one connection, and one thread that does. */
    ASYNC_THREADS("blocking READs of many virtual threads against those of one thread (rate)"),
    /** One active pair alone, and with many idle ones. */
    SCALE("one active pair alone against one among many connected pairs (p50)");

    private final String summary;

    Comparison(String summary) {
        this.summary = summary;
    }

    /**
     * Finds a comparison by its label.
     *
     * @param label for example {@code post_poll}
     * @return null for any other text
     */
    public static Comparison of(String label) {
        return Arrays.stream(values()).filter(it -> it.label().equals(label)).findFirst().orElse(null);
    }

    /**
     * All labels.
     *
     * @return separated by commas
     */
    public static String labels() {
        return Arrays.stream(values()).map(Comparison::label).collect(Collectors.joining(", "));
    }

    /**
     * How users write this comparison.
     *
     * @return for example {@code post_poll}
     */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * What is compared.
     *
     * @return a short text
     */
    public String summary() {
        return summary;
    }
}
