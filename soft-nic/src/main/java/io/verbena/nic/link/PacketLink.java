package io.verbena.nic.link;

import io.verbena.verbs.Gid;

/**
 * A way for RoCEv2 packets to NICs at other addresses. A packet here is what UDP carries: from the base transport
 * header to the invariant CRC. Packets may be lost, doubled, damaged and reordered, and nobody is told.
 *
 * <p>One thread at a time, the one that drives the NIC, except for {@link #await}, {@link #wake} and {@link #pathTo}.
 * No call but {@link #await} blocks; none allocates after set-up except {@link #pathTo}.
 */
public interface PacketLink extends AutoCloseable {
    /** The address that packets come from and go to. */
    Gid gid();

    /** The largest payload (path MTU) whose packets pass to anybody whole: 256, 512, 1024, 2048 or 4096. */
    int mtuBytes();

    /**
     * The way to an address; a control call that may allocate. What it holds is freed when nobody refers to it.
     *
     * @param peer an address of the same family as {@link #gid}
     * @param marks what the headers of its packets say; a link that can't have them say so ignores it
     * @return a way for {@link #send}
     * @throws io.verbena.verbs.VerbsException EINVAL for an address of another family
     */
    PacketPath pathTo(Gid peer, Marks marks);

    /** The way to an address for packets without marks. */
    default PacketPath pathTo(Gid peer) {
        return pathTo(peer, Marks.USUAL);
    }

    /**
     * Where the next packet is written.
     *
     * @return address of native memory for {@link io.verbena.rc.packet.PacketView#MAX_BYTES}; 0 when nothing can be
     *     sent at this time: then ask again after the next {@link #receive}
     */
    long room();

    /**
     * Takes over the packet written at {@link #room}, all but its CRC, which the link fills in. It leaves with
     * {@link #flush} at the latest, or is lost.
     *
     * @param path where it goes
     * @param bytes its length without the CRC
     */
    void send(PacketPath path, int bytes);

    /** Sends everything that was handed over, as far as the system takes it; see {@link #isRefused}. */
    void flush();

    /**
     * Whether the system took nothing more last time, so that packets wait for it. They go with a later {@link #flush}
     * or {@link #receive}; {@link #await} ends when the system may take them.
     *
     * @return true whenever {@link #room} is 0
     */
    boolean isRefused();

    /**
     * Hands over packets that have arrived.
     *
     * @param receiver who takes them; must not call back into the link except {@link #room}, {@link #send} and
     *     {@link #flush}
     * @param limit the most packets to take, those included that the link drops
     * @return packets handed over
     */
    int receive(PacketReceiver receiver, int limit);

    /**
     * Whether packets are here that the limit of the last {@link #receive} left for the next one; {@link #await} does
     * not see them.
     */
    boolean hasMore();

    /** Has the link look at the marks of packets from now on, if it can; a control call. */
    void watchMarks();

    /**
     * The marks of the packet that is being handed over.
     *
     * @return the traffic class times 256, plus the hop limit; -1 when they are not known
     */
    int marks();

    /**
     * Waits until a packet may have arrived, until {@link #wake} or for a time; by one thread besides the one that
     * drives.
     *
     * @param nanos the longest time, more than 0
     */
    void await(long nanos);

    /** Ends an {@link #await} that goes on, or the next one; by any thread. */
    void wake();

    /** Gives the address back; nothing is sent or received any more. Nobody may be in a call but {@link #await}. */
    @Override
    void close();
}
