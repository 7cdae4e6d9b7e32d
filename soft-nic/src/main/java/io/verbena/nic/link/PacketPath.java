package io.verbena.nic.link;

import io.verbena.verbs.Gid;

/** The way of a {@link PacketLink} to one address. */
public interface PacketPath {
    /** Where it leads. */
    Gid peer();
}
