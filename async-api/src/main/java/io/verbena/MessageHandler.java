package io.verbena;

/**
 * Gets the messages of a connection, in order, on the thread that drives completions or a worker's; see {@link
 * CompletionCallback}.
 */
@FunctionalInterface
public interface MessageHandler {
    /**
     * A message has arrived.
     *
     * @param message valid during the call only, after which it is closed and its receive posted again; closing it
     *     before does nothing, and what is needed longer is copied
     */
    void onMessage(ReceivedMessage message);
}
