package io.verbena;

/** Where a connection is in its life. */
public enum ConnectionState {
    /** Its end of the connection exists and knows no peer yet. */
    PREPARED,
    /** Operations are taken. */
    OPEN,
    /** Being closed: what was started goes on, nothing new is taken. */
    CLOSING,
    /** Broken; {@link RdmaConnection#failure()} says why. */
    FAILED,
    /** Closed. Nothing is left of it. */
    CLOSED
}
