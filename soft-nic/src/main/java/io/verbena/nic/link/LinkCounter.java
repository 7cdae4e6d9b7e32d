package io.verbena.nic.link;

/** What a link counts. */
public enum LinkCounter {
    /** Packets that the system has taken. */
    PACKETS_SENT,
    /** Their bytes, CRC included, IP and UDP headers not. */
    BYTES_SENT,
    /** System calls for them. */
    SEND_CALLS,
    /** Times that the system took nothing more, so that packets stayed with the link until later. */
    SENDS_REFUSED,
    /** Packets lost because the system had an error for them: nobody there, no way, too long. */
    SEND_ERRORS,
    /** Packets handed over. */
    PACKETS_RECEIVED,
    /** Their bytes, CRC included, IP and UDP headers not. */
    BYTES_RECEIVED,
    /** System calls for them, those included that found nothing. */
    RECEIVE_CALLS,
    /** Receptions that failed for another reason than that nothing was there; where the system tells. */
    RECEIVE_ERRORS,
    /** Packets dropped because they were longer than any packet can be. */
    RECEIVED_TOO_LONG,
    /** Packets dropped because they were too short for a header and a CRC. */
    RECEIVED_TOO_SHORT,
    /**
     * Messages that had arrived and for which the system had no room; it tells with the next one that it has room for.
     * Packets that came as one message count once.
     */
    KERNEL_DROPS
}
