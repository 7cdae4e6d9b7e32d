package io.verbena.nic.link;

/** What a {@link FaultyLink} does to a packet. */
public enum Fault {
    /** It does not go. */
    LOSS,
    /** It goes twice. */
    DUP,
    /** It goes behind later ones. */
    REORDER,
    /** A bit of it is flipped. */
    DAMAGE,
    /** It goes later. */
    DELAY
}
