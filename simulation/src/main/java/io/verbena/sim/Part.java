package io.verbena.sim;

/**
 * A packet of an unreliable service, by what it carries. None is sent twice, so the number of a packet in the run is
 * its place in the order of sending.
 *
 * @param job the request
 * @param index of the packet in the message
 * @param count of packets in the message
 */
record Part(Job job, int index, int count) {
    boolean isFirst() {
        return index == 0;
    }

    boolean isLast() {
        return index == count - 1;
    }
}
