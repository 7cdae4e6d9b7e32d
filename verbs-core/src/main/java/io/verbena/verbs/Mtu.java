package io.verbena.verbs;

/** Path MTUs of InfiniBand and RoCE with their numbers in libibverbs. */
public enum Mtu {
    /** 256 bytes. */
    MTU_256(256),
    /** 512 bytes. */
    MTU_512(512),
    /** 1024 bytes. */
    MTU_1024(1024),
    /** 2048 bytes. */
    MTU_2048(2048),
    /** 4096 bytes. */
    MTU_4096(4096);

    private static final Mtu[] ALL = values();

    private final int bytes;

    Mtu(int bytes) {
        this.bytes = bytes;
    }

    /**
     * The largest payload of one packet.
     *
     * @return 256 to 4096 bytes
     */
    public int bytes() {
        return bytes;
    }

    /**
     * The number libibverbs gives this MTU.
     *
     * @return 1 to 5
     */
    public int code() {
        return ordinal() + 1;
    }

    /**
     * Finds an MTU by its size.
     *
     * @param bytes 256, 512, 1024, 2048 or 4096
     * @return the MTU
     * @throws VerbsException EINVAL for any other size
     */
    public static Mtu ofBytes(int bytes) {
        for (Mtu mtu : ALL) {
            if (mtu.bytes == bytes) {
                return mtu;
            }
        }
        throw VerbsException.invalid("mtu", bytes, "256, 512, 1024, 2048 or 4096 bytes");
    }
}
