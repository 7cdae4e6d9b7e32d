package io.verbena.verbs;

import java.util.HexFormat;

/**
 * What one end tells the other to connect out of band.
 *
 * @param gid the GID it sends from
 * @param qpNum its queue pair number, 24 bits
 * @param psn the first packet sequence number it sends, 24 bits
 */
public record QueuePairEndpoint(Gid gid, int qpNum, int psn) {
    private static final int MAX_24_BITS = 0xFF_FFFF;

    /**
     * Checks the numbers.
     *
     * @throws VerbsException EINVAL for a missing GID, or a number that is negative or longer than 24 bits
     */
    public QueuePairEndpoint {
        if (gid == null) {
            throw VerbsException.invalid("gid", null, "a GID");
        }
        if (qpNum < 0 || qpNum > MAX_24_BITS) {
            throw VerbsException.invalid("qpNum", qpNum, "0 to " + MAX_24_BITS + " (24 bits)");
        }
        if (psn < 0 || psn > MAX_24_BITS) {
            throw VerbsException.invalid("psn", psn, "0 to " + MAX_24_BITS + " (24 bits)");
        }
    }

    /**
     * Reads the text that ibv_rc_pingpong exchanges: {@code LID:QPN:PSN:GID} in hexadecimal.
     *
     * @param text for example {@code 0000:000011:a1b2c3:00000000000000000000ffff7f000001}
     * @return the endpoint; the LID is ignored
     * @throws VerbsException EINVAL for anything else
     */
    public static QueuePairEndpoint parse(String text) {
        String[] parts = text == null ? new String[0] : text.strip().split(":", -1);
        if (parts.length == 4) {
            try {
                number(parts[0]);
                return new QueuePairEndpoint(
                        Gid.ofHex(parts[3]), number(parts[1]), number(parts[2]));
            } catch (IllegalArgumentException e) {
                throw VerbsException.invalid("endpoint", text, "LID:QPN:PSN:GID in hexadecimal");
            }
        }
        throw VerbsException.invalid("endpoint", text, "LID:QPN:PSN:GID in hexadecimal");
    }

    private static int number(String digits) {
        if (digits.isEmpty()) {
            throw new IllegalArgumentException("no digits");
        }
        return HexFormat.fromHexDigits(digits);
    }

    /**
     * The text that ibv_rc_pingpong exchanges, with LID 0.
     *
     * @return {@code 0000:QPN:PSN:GID} in hexadecimal
     */
    public String format() {
        return String.format("0000:%06x:%06x:%s", qpNum, psn, gid.toHex());
    }
}
