package io.verbena.async.handshake;

import io.netty.channel.Channel;
import java.net.SocketAddress;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * The TCP connection of a finished handshake. It stays as a sign of life: its end tells at once that the other process
 * is gone, and it carries the last word when the queue pair can't any more. Thread-safe.
 */
public final class ControlLink {
    /** How the other end ended it. */
    public enum End {
        /** In order: it said so. */
        DISCONNECTED,
        /** It is gone without a word, or what it said made no sense. */
        LOST
    }

    private final Channel channel;
    private final Session session;
    private final Executor executor;
    private Consumer<End> listener;
    private End end;
    private boolean closed;

    ControlLink(Channel channel, Session session, Executor executor) {
        this.channel = channel;
        this.session = session;
        this.executor = executor;
    }

    /**
     * Asks to be told when the other end ends it; at once if it has. It isn't told what this end does.
     *
     * @param told called once at most, by a worker of the loop; it may block for a while
     * @throws IllegalStateException if there is one already
     */
    public synchronized void onEnd(Consumer<End> told) {
        if (listener != null) {
            throw new IllegalStateException("this control link has a listener; there is one at most");
        }
        listener = told;
        tell();
    }

    /** The other end ended it. */
    synchronized void ended(End how) {
        if (end == null && !closed) {
            end = how;
            tell();
        }
    }

    private void tell() {
        if (end != null && listener != null && !closed) {
            var told = listener;
            var how = end;
            executor.execute(() -> told.accept(how));
        }
    }

    private synchronized boolean markClosed() {
        var first = !closed;
        closed = true;
        return first;
    }

    /** Says that it ends in order, and closes it once the other end has heard it, or after five seconds. */
    public void disconnect() {
        if (markClosed()) {
            try {
                channel.eventLoop().execute(session::disconnect);
            } catch (RejectedExecutionException e) {
                // The loop is closed, and with it the channel.
                channel.close();
            }
        }
    }

    /** Closes it without a word: the other end is told {@link End#LOST}. */
    public void close() {
        if (markClosed()) {
            channel.close();
        }
    }

    /**
     * Where the other end's TCP connection comes from or leads to.
     *
     * @return its address
     */
    public SocketAddress remoteAddress() {
        return channel.remoteAddress();
    }

    /** Shows both addresses. */
    @Override
    public String toString() {
        return "ControlLink[" + channel.localAddress() + " to " + channel.remoteAddress() + "]";
    }
}
