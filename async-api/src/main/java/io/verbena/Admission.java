package io.verbena;

/** Which clients a server wants. Called by threads of the node, several at a time; it may block for a while. */
@FunctionalInterface
public interface Admission {
    /** Everybody. */
    Admission EVERYBODY = request -> null;

    /**
     * Decides about a client.
     *
     * @param request what it has told
     * @return null to let it in; otherwise why not, which the client is told
     */
    String refusal(ConnectRequest request);
}
