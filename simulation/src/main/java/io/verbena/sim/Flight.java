package io.verbena.sim;

/**
 * A packet under way.
 *
 * @param number of the packet in the run
 * @param order by which packets of one time arrive
 * @param at when it arrives, since the start of the run
 * @param fromFirst whether the first end sent it
 * @param place where its bytes are
 * @param length how many
 * @param damaged whether a bit was flipped that the CRC covers
 */
record Flight(long number, long order, long at, boolean fromFirst, int place, int length, boolean damaged)
        implements Comparable<Flight> {
    @Override
    public int compareTo(Flight other) {
        return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
}
