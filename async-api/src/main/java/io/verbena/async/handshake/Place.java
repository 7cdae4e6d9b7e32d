package io.verbena.async.handshake;

import java.nio.charset.StandardCharsets;

/**
 * Which devices can reach each other: those on the same link and, where the link ends somewhere, in the same realm.
 *
 * @param link how packets travel, for example {@code shm} or {@code rocev2}: 1 to 32 characters of ASCII
 * @param realm where the link ends: a number of the process, of the host; 0 where it doesn't end
 */
public record Place(String link, long realm) {
    private static final int MAX_CHARACTERS = 32;

    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException if the name is empty, too long, or not of printable ASCII
     */
    public Place {
        if (link.isEmpty() || link.length() > MAX_CHARACTERS || !link.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException(
                    "link is a name of " + link.length() + " characters; allowed: 1 to 32 of printable ASCII");
        }
    }

    byte[] linkBytes() {
        return link.getBytes(StandardCharsets.US_ASCII);
    }

    boolean reaches(Place other) {
        return link.equals(other.link) && realm == other.realm;
    }
}
