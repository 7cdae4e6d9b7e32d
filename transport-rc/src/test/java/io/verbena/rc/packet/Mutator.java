package io.verbena.rc.packet;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Makes packets that nobody would send: golden frames and the packets of known attacks, with bits, bytes and lengths
 * changed. The same seed makes the same packets.
 */
public final class Mutator {
    private final List<byte[]> seeds = new ArrayList<>();
    private final SplittableRandom random;
    private byte[] bytes = new byte[2 * PacketView.MAX_BYTES];
    private int length;

    /** Starts the packets of a seed. */
    public Mutator(long seed) {
        random = new SplittableRandom(seed);
        Frame.captured().forEach(frame -> seeds.add(frame.packet()));
        Frame.vectors().forEach(frame -> seeds.add(frame.packet()));
        seeds.addAll(attacks());
    }

    /** The first packets of rows 14 to 17 of the history of bugs. */
    static List<byte[]> attacks() {
        var padded = new byte[16];
        padded[0] = 0x04;
        padded[1] = 0x30;
        var unknown = new byte[16];
        unknown[0] = (byte) 0xFF;
        var emptyAtomicWrite = new byte[12 + 16 + 4];
        emptyAtomicWrite[0] = 0x1D;
        emptyAtomicWrite[27] = 8;
        var wrapping = new byte[12 + 16 + 4];
        wrapping[0] = 0x0C;
        java.util.Arrays.fill(wrapping, 12, 20, (byte) 0xFF);
        wrapping[27] = 2;
        return List.of(padded, unknown, emptyAtomicWrite, wrapping);
    }

    /** Makes the next packet. */
    public void next() {
        byte[] seed = seeds.get(random.nextInt(seeds.size()));
        length = seed.length;
        System.arraycopy(seed, 0, bytes, 0, length);
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            change();
        }
    }

    private void change() {
        int at = random.nextInt(Math.max(1, random.nextBoolean() ? Math.min(length, 44) : length));
        switch (random.nextInt(7)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) random.nextInt();
            case 2 -> bytes[0] = (byte) random.nextInt();
            case 3 -> bytes[1] = (byte) random.nextInt();
            case 4 -> length = random.nextInt(Math.max(1, length));
            case 5 -> length = Math.min(bytes.length, length + random.nextInt(64));
            default -> bytes[at] = (byte) (random.nextBoolean() ? 0 : 0xFF);
        }
    }

    /** The bytes of the packet, and others behind them. */
    public byte[] bytes() {
        return bytes;
    }

    /** How many bytes it has. */
    public int length() {
        return length;
    }
}
