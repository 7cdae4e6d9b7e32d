package io.verbena.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What the messages of a {@link Pingpong} hold when they are looked at. */
enum PingpongData {
    /** Each byte differs from its neighbours, and those of the two ends from one another. */
    PATTERN {
        @Override
        byte at(long position, boolean first) {
            return (byte) (31 * position + (position >>> 12) + (first ? 1 : 2));
        }
    },
    /**
     * What the programs of libibverbs send with -c, and look at: the first byte of each page is zero. They fill the
     * rest like this too. Their pages may be larger than these.
     */
    PAGES {
        @Override
        byte at(long position, boolean first) {
            return position % PAGE == 0 ? 0 : REST;
        }

        @Override
        boolean fits(long position, byte found, boolean first) {
            return super.fits(position, found, first) || position > 0 && found == REST;
        }
    };

    private static final int PAGE = 4_096;
    private static final byte REST = 0x7B;

    /** The data that goes with a path. */
    static PingpongData of(Link link) {
        return link == Link.UDP ? PAGES : PATTERN;
    }

    /** A byte of the message of one end. */
    abstract byte at(long position, boolean first);

    /** Whether a byte can be one of a message of this end. */
    boolean fits(long position, byte found, boolean first) {
        return found == at(position, first);
    }

    /** Makes the message of one end. */
    void fill(MemorySegment message, boolean first) {
        for (long i = 0; i < message.byteSize(); i++) {
            message.set(ValueLayout.JAVA_BYTE, i, at(i, first));
        }
    }

    /** Looks at a message that came from one end; throws when it is another. */
    void check(MemorySegment message, boolean first) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sent = arena.allocate(Math.max(1, message.byteSize())).asSlice(0, message.byteSize());
            fill(sent, first);
            for (long i = sent.mismatch(message); i >= 0 && i < message.byteSize(); i++) {
                if (!fits(i, message.get(ValueLayout.JAVA_BYTE, i), first)) {
                    throw new PerfException("invalid data in byte " + i + " of a message of " + message.byteSize());
                }
            }
        }
    }
}
