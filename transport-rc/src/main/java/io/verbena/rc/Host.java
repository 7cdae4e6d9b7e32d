package io.verbena.rc;

import java.util.Objects;

/**
 * What the owner of a connection provides.
 *
 * @param memory what keys open
 * @param receiveMemory what keys of receives open: another protection domain may be behind a shared receive queue
 * @param sends the send queue
 * @param receives the receives
 * @param completions where what ended is reported
 */
public record Host(HostMemory memory, HostMemory receiveMemory, SendSource sends, ReceiveSource receives,
        CompletionSink completions) {
    /** Refuses a part that is missing. */
    public Host {
        Objects.requireNonNull(memory, "memory");
        Objects.requireNonNull(receiveMemory, "receiveMemory");
        Objects.requireNonNull(sends, "sends");
        Objects.requireNonNull(receives, "receives");
        Objects.requireNonNull(completions, "completions");
    }

    /**
     * With receives of the queue pair's own protection domain.
     *
     * @param memory what keys open
     * @param sends the send queue
     * @param receives the receives
     * @param completions where what ended is reported
     */
    public Host(HostMemory memory, SendSource sends, ReceiveSource receives, CompletionSink completions) {
        this(memory, memory, sends, receives, completions);
    }
}
