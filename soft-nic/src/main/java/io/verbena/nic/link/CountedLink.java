package io.verbena.nic.link;

/** A link that counts, and knows how much the system keeps for it. */
public interface CountedLink extends PacketLink {
    /** What it has sent, received and lost; the same object all the time. */
    LinkCounters counters();

    /**
     * How much the system keeps of what has arrived until it drops packets.
     *
     * @return bytes; a packet of the path MTU takes about twice its length, a short one 768
     */
    int receiveBufferBytes();
}
