package io.verbena.examples;

import io.verbena.LocalMemory;
import io.verbena.ReceivedMessage;
import io.verbena.RdmaNode;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** Texts as messages of the asynchronous API: as long as their bytes, without a zero at the end. */
final class AsyncText {
    private AsyncText() {}

    /** Memory with a text in it; the caller closes it. */
    static LocalMemory of(RdmaNode node, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        LocalMemory memory = node.memory().allocate(bytes.length);
        memory.writable().copyFrom(MemorySegment.ofArray(bytes));
        return memory;
    }

    static String of(ReceivedMessage message) {
        return new String(message.toArray(), StandardCharsets.UTF_8);
    }
}
