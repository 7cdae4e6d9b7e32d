package io.verbena.examples;

import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages between two programs: start it with {@code server} in one terminal and with {@code client} in another one.
 * What they say to each other is the same as in {@link SendReceiveExample}; that the other end is in another process is
 * a matter of the device's name.
 */
public final class EchoExample {
    private static final long OUTGOING = 0;
    private static final long INCOMING = 2048;
    private static final int ROOM = 256;
    private static final String LAST = "bye";

    private EchoExample() {}

    /**
     * Serves one client, or is it.
     *
     * @param args server or client, perhaps a device and a port
     */
    public static void main(String[] args) {
        TwoTerminals given = TwoTerminals.of(args);
        if (given.server()) {
            System.out.println("answered " + serve(given.device(), given.port()) + " messages");
        } else {
            ask(given.device(), given.port(), List.of("who is there?", "how are you?")).forEach(System.out::println);
        }
    }

    /** Answers a client until it says bye; returns how many messages came. */
    static int serve(String device, int port) {
        try (ExampleEnd end = new ExampleEnd(device); Introduction client = Introduction.await(port)) {
            connect(end, client);
            int count = 0;
            String asked;
            do {
                asked = receive(end);
                send(end, "you said \"" + asked + "\"");
                count++;
            } while (!asked.equals(LAST));
            client.swap("done"); // so that nobody closes what the other one still uses
            return count;
        }
    }

    /** Says some things and bye; returns the answers. */
    static List<String> ask(String device, int port, List<String> questions) {
        try (ExampleEnd end = new ExampleEnd(device); Introduction server = Introduction.to(port)) {
            connect(end, server);
            List<String> all = new ArrayList<>(questions);
            all.add(LAST);
            List<String> answers = new ArrayList<>();
            for (String question : all) {
                send(end, question);
                answers.add(receive(end));
            }
            server.swap("done");
            return answers;
        }
    }

    private static void connect(ExampleEnd end, Introduction other) {
        end.connect(QueuePairEndpoint.parse(other.swap(end.describe().format())));
        postReceive(end);
        other.swap("ready"); // nobody sends before the other side has a receive posted
    }

    private static void postReceive(ExampleEnd end) {
        ExampleEnd.check(end.qp.postReceive(0, end.region.address() + INCOMING, ROOM, end.region.lkey()));
    }

    private static void send(ExampleEnd end, String text) {
        end.region.segment().setString(OUTGOING, text);
        ExampleEnd.check(end.qp.postSend(0, end.region.address() + OUTGOING, ROOM, end.region.lkey(),
                SendFlags.SIGNALED));
    }

    private static String receive(ExampleEnd end) {
        WorkCompletion completion;
        do {
            completion = end.await();
        } while (completion.opcode() != WcOpcode.RECV);
        String text = end.region.segment().getString(INCOMING);
        postReceive(end);
        return text;
    }
}
