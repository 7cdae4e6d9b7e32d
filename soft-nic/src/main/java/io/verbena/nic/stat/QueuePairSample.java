package io.verbena.nic.stat;

import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import java.util.Arrays;
import java.util.Objects;

/** The counts of one queue pair at one time. Immutable. */
public final class QueuePairSample {
    private static final QueuePairType[] TYPES = QueuePairType.values();
    private static final QueuePairState[] STATES = QueuePairState.values();

    private final long[] words;

    /**
     * Takes the words of a record.
     *
     * @param words {@link CounterFileLayout#WORDS} words; copied
     */
    public QueuePairSample(long... words) {
        this.words = Arrays.copyOf(words, CounterFileLayout.WORDS);
    }

    /**
     * The queue pair.
     *
     * @return its number, 24 bits
     */
    public int qpNum() {
        return CounterFileLayout.qpNum(words[CounterFileLayout.IDENTITY]);
    }

    /**
     * Its type.
     *
     * @return RC, UC or UD; {@code ?} when the record holds none of them
     */
    public String type() {
        int ordinal = CounterFileLayout.type(words[CounterFileLayout.IDENTITY]);
        return ordinal >= 0 && ordinal < TYPES.length ? TYPES[ordinal].name() : "?";
    }

    /**
     * Its state.
     *
     * @return RESET to ERR; {@code ?} when the record holds none of them
     */
    public String state() {
        int ordinal = CounterFileLayout.state(words[CounterFileLayout.IDENTITY]);
        return ordinal < STATES.length ? STATES[ordinal].name() : "?";
    }

    /**
     * The peer.
     *
     * @return its number, or 0 when not connected
     */
    public int peer() {
        return CounterFileLayout.peer(words[CounterFileLayout.IDENTITY]);
    }

    /**
     * One count.
     *
     * @param word index of a word, for example {@link CounterFileLayout#SENDS}
     * @return its value
     * @throws IndexOutOfBoundsException when there is no such word
     */
    public long get(int word) {
        return words[Objects.checkIndex(word, words.length)];
    }

    /**
     * Operations executed of its send queue.
     *
     * @return SENDs, WRITEs, READs, atomics and local operations together
     */
    public long operations() {
        return words[CounterFileLayout.SENDS] + words[CounterFileLayout.WRITES] + words[CounterFileLayout.READS]
                + words[CounterFileLayout.ATOMICS] + words[CounterFileLayout.LOCAL_OPERATIONS];
    }

    /**
     * Payload moved.
     *
     * @return bytes sent, read and received together
     */
    public long bytes() {
        return words[CounterFileLayout.SENT_BYTES] + words[CounterFileLayout.READ_BYTES]
                + words[CounterFileLayout.RECEIVED_BYTES];
    }

    /**
     * Completions with an error.
     *
     * @return those of sends and of receives together
     */
    public long errors() {
        return words[CounterFileLayout.SEND_ERRORS] + words[CounterFileLayout.RECEIVE_ERRORS];
    }

    /** Number, type, state and operations. */
    @Override
    public String toString() {
        return type() + " queue pair 0x" + Integer.toHexString(qpNum()) + " in " + state() + ": " + operations()
                + " operations, " + bytes() + " bytes";
    }
}
