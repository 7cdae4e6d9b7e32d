package io.verbena.nic.link;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The counters of a link, since it was opened. Written by the thread that drives the link, read by any. */
public final class LinkCounters {
    private static final VarHandle VALUES = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] values = new long[LinkCounter.values().length];

    LinkCounters() {}

    /**
     * Reads a counter.
     *
     * @param counter which
     * @return 0 or more
     */
    public long get(LinkCounter counter) {
        return (long) VALUES.getOpaque(values, counter.ordinal());
    }

    void add(LinkCounter counter, long more) {
        set(counter, values[counter.ordinal()] + more);
    }

    void set(LinkCounter counter, long value) {
        VALUES.setOpaque(values, counter.ordinal(), value);
    }
}
