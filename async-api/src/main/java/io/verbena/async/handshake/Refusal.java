package io.verbena.async.handshake;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The last words of an end that ends a handshake.
 *
 * @param kind why
 * @param message why, for people: up to 512 bytes of UTF-8 of which only printable characters are kept
 */
record Refusal(FailureKind kind, String message) {
    private static final int MAX_BYTES = 512;

    byte[] encode() {
        var text = message.getBytes(StandardCharsets.UTF_8);
        var bytes = new byte[1 + Math.min(text.length, MAX_BYTES)];
        bytes[0] = (byte) kind.code();
        System.arraycopy(text, 0, bytes, 1, bytes.length - 1);
        return bytes;
    }

    /** What comes from outside may end up on a terminal, so control characters are taken out. */
    static Refusal decode(byte[] bytes) {
        if (bytes.length == 0) {
            return new Refusal(FailureKind.REJECTED, "no reason given");
        }
        var text = new String(Arrays.copyOfRange(bytes, 1, Math.min(bytes.length, 1 + MAX_BYTES)),
                StandardCharsets.UTF_8);
        var printable = text.codePoints()
                .filter(c -> !Character.isISOControl(c) && Character.getType(c) != Character.FORMAT)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append);
        return new Refusal(FailureKind.ofCode(bytes[0] & 0xFF), printable.toString());
    }
}
