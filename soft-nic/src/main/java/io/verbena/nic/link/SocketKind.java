package io.verbena.nic.link;

import io.verbena.verbs.VerbsException;
import java.util.Locale;

/** Which sockets packets go through. */
public enum SocketKind {
    /** {@link #NATIVE} where that is possible, else {@link #PORTABLE}. */
    AUTO,
    /** The system's own (Linux, native access). */
    NATIVE,
    /** Java's. */
    PORTABLE;

    /**
     * Reads it from a setting.
     *
     * @param value auto, native or portable
     * @return the kind
     * @throws VerbsException EINVAL for anything else
     */
    public static SocketKind parse(String value) {
        for (SocketKind kind : values()) {
            if (kind.setting().equals(value)) {
                return kind;
            }
        }
        throw VerbsException.invalid("socket", "\"" + value + "\"", "auto, native, portable");
    }

    /** The value of the setting. */
    public String setting() {
        return name().toLowerCase(Locale.ROOT);
    }
}
