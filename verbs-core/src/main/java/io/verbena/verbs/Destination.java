package io.verbena.verbs;

/**
 * The receiver of a datagram. Make it once and use it for many sends: posting keeps no reference to it.
 *
 * @param handle the way there
 * @param qpNum the receiver's queue pair number; 0xFFFFFF for a multicast group
 * @param qkey the receiver's queue key; when bit 31 is set the sender's own key is used instead
 */
public record Destination(AddressHandle handle, int qpNum, int qkey) {
    /** The queue pair number of every multicast group. */
    public static final int MULTICAST_QPN = 0xFF_FFFF;

    /** Checks what can be checked without a device. */
    public Destination {
        if (handle == null) {
            throw VerbsException.invalid("handle", null, "an open address handle");
        }
        if (qpNum < 0 || qpNum > MULTICAST_QPN) {
            throw VerbsException.invalid("qpNum", qpNum, "0 to 0xffffff");
        }
    }
}
