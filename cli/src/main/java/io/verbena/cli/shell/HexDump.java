package io.verbena.cli.shell;

import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;

/** Bytes of memory in hexadecimal and as text, 16 a line. */
final class HexDump {
    private static final int ROW = 16;
    private static final long MOST = 1 << 16;

    private HexDump() {}

    /** The dump of a range; every line ends with a line feed. */
    static String of(MemorySegment memory, long offset, long length) {
        if (offset < 0 || offset > memory.byteSize()) {
            throw VerbsException.invalid("offset", offset, "0 to " + memory.byteSize());
        }
        long most = Math.min(MOST, memory.byteSize() - offset);
        if (length < 0 || length > most) {
            throw VerbsException.invalid("length", length, "0 to " + most + " from this offset");
        }
        StringBuilder dump = new StringBuilder();
        for (long at = offset; at < offset + length; at += ROW) {
            row(dump, memory, at, (int) Math.min(ROW, offset + length - at));
        }
        return dump.toString();
    }

    private static void row(StringBuilder dump, MemorySegment memory, long at, int bytes) {
        dump.append(String.format(Locale.ROOT, "%08x ", at));
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < ROW; i++) {
            dump.append(i == ROW / 2 ? "  " : " ");
            if (i < bytes) {
                int value = memory.get(ValueLayout.JAVA_BYTE, at + i) & 0xFF;
                dump.append(String.format(Locale.ROOT, "%02x", value));
                text.append(value >= ' ' && value <= '~' ? (char) value : '.');
            } else {
                dump.append("  ");
            }
        }
        dump.append("  |").append(text).append("|\n");
    }
}
