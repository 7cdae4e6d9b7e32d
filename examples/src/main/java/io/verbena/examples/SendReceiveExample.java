package io.verbena.examples;

import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WorkCompletion;
import java.util.concurrent.CompletableFuture;

/**
 * Two threads exchange messages: a client asks, a server answers. A SEND goes into the oldest receive that the other
 * end has posted, so receives are posted before the other end may send.
 */
public final class SendReceiveExample {
    private static final long OUTGOING = 0;
    private static final long INCOMING = 2048;
    private static final int ROOM = 256;

    private SendReceiveExample() {}

    /**
     * Prints the answer.
     *
     * @param args a device, by default {@code soft}
     */
    public static void main(String[] args) {
        System.out.println("the server answered: " + run(args.length > 0 ? args[0] : "soft", "who is there?"));
    }

    /**
     * Asks a question.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @param question up to 200 bytes
     * @return the server's answer
     */
    static String run(String device, String question) {
        try (ExampleEnd server = new ExampleEnd(device); ExampleEnd client = new ExampleEnd(device)) {
            server.connect(client.describe());
            client.connect(server.describe());
            postReceive(server);
            postReceive(client);
            CompletableFuture<Void> serving = CompletableFuture.runAsync(() -> {
                String asked = receive(server);
                send(server, "you asked \"" + asked + "\"");
            });
            send(client, question);
            String answer = receive(client);
            serving.join();
            return answer;
        }
    }

    private static void postReceive(ExampleEnd end) {
        ExampleEnd.check(end.qp.postReceive(0, end.region.address() + INCOMING, ROOM, end.region.lkey()));
    }

    private static void send(ExampleEnd end, String text) {
        end.region.segment().setString(OUTGOING, text);
        ExampleEnd.check(end.qp.postSend(0, end.region.address() + OUTGOING, ROOM, end.region.lkey(),
                SendFlags.SIGNALED));
    }

    /** Both kinds of completions come from the one queue here; the opcode tells them apart. */
    private static String receive(ExampleEnd end) {
        WorkCompletion completion;
        do {
            completion = end.await();
        } while (completion.opcode() != WcOpcode.RECV);
        return end.region.segment().getString(INCOMING);
    }
}
