package io.verbena.verbs.tck.peer;

import java.io.Serializable;

/**
 * Side B of a case. It is reached only through commands whose arguments and answers can be serialised, so that it may
 * live in this JVM, in another one, or on another device. Safe from any thread; commands of different threads run at
 * the same time.
 */
public interface Peer extends AutoCloseable {
    /**
     * Carries out a command at side B.
     *
     * @param command what to do
     * @param <R> the kind of answer
     * @return the answer
     * @throws io.verbena.verbs.VerbsException as side B's own call threw it
     */
    <R extends Serializable> R execute(PeerCommand<R> command);

    /**
     * Closes everything side B still has, in reverse order of creation.
     *
     * @throws AssertionError when an object could not be closed or a guard byte around registered memory has changed
     */
    @Override
    void close();
}
