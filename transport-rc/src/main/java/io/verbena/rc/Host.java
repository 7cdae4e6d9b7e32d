package io.verbena.rc;

import java.util.Objects;

/**
 * What the owner of a connection provides.
 *
 * @param memory what keys open
 * @param sends the send queue
 * @param receives the receives
 * @param completions where what ended is reported
 */
public record Host(HostMemory memory, SendSource sends, ReceiveSource receives, CompletionSink completions) {
    /** Refuses a part that is missing. */
    public Host {
        Objects.requireNonNull(memory, "memory");
        Objects.requireNonNull(sends, "sends");
        Objects.requireNonNull(receives, "receives");
        Objects.requireNonNull(completions, "completions");
    }
}
