package io.verbena.async.handshake;

import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairEndpoint;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * A hello as bytes: a fixed part, then fields of type, length and contents. An unknown field is skipped, unless the
 * highest bit of its type says that it must be understood.
 */
final class HelloCodec {
    /** The longest hello: with every field at its longest. */
    static final int MAX_BYTES = 3072;

    private static final int FIXED_BYTES = 8 + 8 + 16 + 4 + 4 + 4 + 4 + 4 + 4 + 8 + 8;
    private static final int FIELD_HEADER = 4;
    private static final int PLACE = 1;
    private static final int PRIVATE_DATA = 2;
    private static final int MUST_UNDERSTAND = 0x8000;

    private HelloCodec() {}

    static byte[] encode(Hello hello) {
        var buffer = ByteBuffer.allocate(MAX_BYTES);
        var limits = hello.limits();
        buffer.putLong(hello.capabilities()).putLong(hello.required());
        buffer.putLong(hello.endpoint().gid().high()).putLong(hello.endpoint().gid().low());
        buffer.putInt(hello.endpoint().qpNum()).putInt(hello.endpoint().psn());
        buffer.putInt(limits.mtuBytes()).putInt(limits.rdAtomic());
        buffer.putInt(limits.receiveSlots()).putInt(limits.slotBytes());
        buffer.putLong(limits.maxMessageBytes()).putLong(limits.keepaliveMillis());
        var link = hello.place().linkBytes();
        header(buffer, PLACE, Long.BYTES + link.length);
        buffer.putLong(hello.place().realm()).put(link);
        header(buffer, PRIVATE_DATA, hello.privateData().length);
        buffer.put(hello.privateData());
        hello.features().forEach((number, bytes) -> {
            header(buffer, number, bytes.length);
            buffer.put(bytes);
        });
        var bytes = new byte[buffer.position()];
        buffer.flip().get(bytes);
        return bytes;
    }

    private static void header(ByteBuffer buffer, int type, int length) {
        buffer.putShort((short) type).putShort((short) length);
    }

    /** Reads bytes from outside: whatever they are, the answer is a hello or a {@link HandshakeException}. */
    static Hello decode(byte[] bytes) {
        if (bytes.length < FIXED_BYTES || bytes.length > MAX_BYTES) {
            throw broken("a hello of " + bytes.length + " bytes; it has " + FIXED_BYTES + " to " + MAX_BYTES, null);
        }
        try {
            return new Fields(ByteBuffer.wrap(bytes)).hello();
        } catch (BufferUnderflowException e) {
            throw broken("a hello whose last field is cut off", e);
        } catch (IllegalArgumentException e) {
            throw broken("a hello with a wrong value: " + e.getMessage(), e);
        }
    }

    private static HandshakeException broken(String message, Throwable cause) {
        return new HandshakeException(FailureKind.PROTOCOL, message, cause);
    }

    /** What has been read of a hello so far. */
    private static final class Fields {
        private final ByteBuffer buffer;
        private final BitSet seen = new BitSet();
        private final Map<Integer, byte[]> features = new HashMap<>();
        private Place place;
        private byte[] privateData = {};

        Fields(ByteBuffer buffer) {
            this.buffer = buffer;
        }

        Hello hello() {
            var capabilities = buffer.getLong();
            var required = buffer.getLong();
            var gid = new Gid(buffer.getLong(), buffer.getLong());
            var endpoint = new QueuePairEndpoint(gid, bits24(), bits24());
            var limits = new Limits(
                    buffer.getInt(), buffer.getInt(), buffer.getInt(), buffer.getInt(), buffer.getLong(),
                    buffer.getLong());
            while (buffer.hasRemaining()) {
                field(Short.toUnsignedInt(buffer.getShort()), Short.toUnsignedInt(buffer.getShort()));
            }
            if (place == null) {
                throw new IllegalArgumentException("it doesn't say which link it is on");
            }
            return new Hello(endpoint, place, limits, capabilities, required, privateData, features);
        }

        private int bits24() {
            var value = buffer.getInt();
            if (value < 0 || value > 0xFF_FFFF) {
                throw new IllegalArgumentException("a queue pair or packet number is longer than 24 bits");
            }
            return value;
        }

        private void field(int type, int length) {
            if (length > buffer.remaining()) {
                throw new BufferUnderflowException();
            }
            if (seen.get(type)) {
                throw new IllegalArgumentException("field " + type + " comes twice");
            }
            seen.set(type);
            var bytes = new byte[length];
            buffer.get(bytes);
            if (type == PLACE) {
                place = place(ByteBuffer.wrap(bytes));
            } else if (type == PRIVATE_DATA) {
                privateData = bytes;
            } else if (type >= MUST_UNDERSTAND) {
                throw new HandshakeException(
                        FailureKind.CAPABILITY,
                        "the other end sent field 0x%x, which must be understood and isn't; update this end"
                                .formatted(type));
            } else if (type >= Hello.FIRST_FEATURE) {
                features.put(type, bytes);
            }
        }

        private static Place place(ByteBuffer bytes) {
            var realm = bytes.getLong();
            var name = StandardCharsets.ISO_8859_1.decode(bytes).toString();
            return new Place(name, realm);
        }
    }
}
