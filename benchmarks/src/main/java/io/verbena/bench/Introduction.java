package io.verbena.bench;

import io.verbena.verbs.QueuePairEndpoint;
import java.util.List;
import java.util.function.Consumer;

/**
 * How the two processes of a ping-pong over UDP tell each other their queue pairs. The client speaks first, and the
 * server answers when its end is ready for messages, so that the client may send as soon as it has connected too.
 */
public interface Introduction extends AutoCloseable {
    /**
     * Whether this side waited for the other one.
     *
     * @return false for the client
     */
    boolean isServer();

    /**
     * Tells and hears, and connects at the right time.
     *
     * @param own the queue pairs here, in the order in which they are to be connected
     * @param connect takes as many of the other side, and returns when messages may come
     * @throws PerfException when the other side is gone or does not speak like this
     */
    void exchange(List<QueuePairEndpoint> own, Consumer<List<QueuePairEndpoint>> connect);

    /** Has a flag raised when the other side fails or ends, where that can be noticed. */
    default void watch(StopFlag stop) {}

    /** Waits until the other side has what it needs from this one, where it tells. */
    default void finish() {}

    /**
     * Tells the other side that this one gives up, where it listens.
     *
     * @param why what happened here
     * @return what to tell the user: the end of the other side, if that is the reason
     */
    default PerfException giveUp(PerfException why) {
        return why;
    }

    /** Ends the conversation. */
    @Override
    void close();
}
