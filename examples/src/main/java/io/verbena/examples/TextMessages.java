package io.verbena.examples;

import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WorkCompletion;

/** Messages of text from and to one end: one goes out at a time, and one receive is posted for the next to come in. */
final class TextMessages {
    private static final long OUTGOING = 0;
    private static final long INCOMING = 2048;
    private static final int ROOM = 256;

    private final ExampleEnd end;

    TextMessages(ExampleEnd end) {
        this.end = end;
    }

    /** Before the other end may send. */
    void postReceive() {
        ExampleEnd.check(end.qp.postReceive(0, end.region.address() + INCOMING, ROOM, end.region.lkey()));
    }

    void send(String text) {
        end.region.segment().setString(OUTGOING, text);
        ExampleEnd.check(end.qp.postSend(0, end.region.address() + OUTGOING, ROOM, end.region.lkey(),
                SendFlags.SIGNALED));
    }

    /** Waits for a message. Both kinds of completions come from the one queue here; the opcode tells them apart. */
    String receive() {
        WorkCompletion completion;
        do {
            completion = end.await();
        } while (completion.opcode() != WcOpcode.RECV);
        return end.region.segment().getString(INCOMING);
    }
}
