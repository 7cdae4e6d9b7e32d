package io.verbena.nic.link;

/** A link that lets a packet be damaged behind its back, as a wire would. */
interface SealedPackets extends CountedLink {
    /**
     * Flips a bit of the packet that was handed over last, which has not left yet.
     *
     * @param bit counted from the packet's first byte on; below 8 times its length with its CRC
     */
    void damageLast(int bit);
}
