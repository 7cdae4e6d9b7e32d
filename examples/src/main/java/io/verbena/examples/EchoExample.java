package io.verbena.examples;

import io.verbena.verbs.QueuePairEndpoint;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Messages between two programs: start it with {@code server} in one terminal and with {@code client} in another one.
 * What they say to each other is the same as in {@link SendReceiveExample}; that the other end is in another process is
 * a matter of the device's name.
 */
public final class EchoExample {
    private static final String LAST = "bye";

    private EchoExample() {}

    /**
     * Serves one client, or is it.
     *
     * @param args server or client, perhaps a device and an address
     */
    public static void main(String[] args) {
        TwoTerminals.of(args).run(EchoExample::run);
    }

    private static void run(TwoTerminals given) {
        if (given.server()) {
            System.out.println("answered " + serve(given.device(), given.address()) + " messages");
        } else {
            ask(given.device(), given.address(), List.of("who is there?", "how are you?")).forEach(System.out::println);
        }
    }

    /** Answers a client until it says bye; returns how many messages came. */
    static int serve(String device, InetSocketAddress address) {
        try (ExampleEnd end = new ExampleEnd(device); Introduction client = Introduction.await(address)) {
            TextMessages messages = connect(end, client);
            int count = 0;
            String asked;
            do {
                asked = receive(messages);
                messages.send("you said \"" + asked + "\"");
                count++;
            } while (!asked.equals(LAST));
            client.swap("done"); // so that nobody closes what the other one still uses
            return count;
        }
    }

    /** Says some things and bye; returns the answers. */
    static List<String> ask(String device, InetSocketAddress address, List<String> questions) {
        try (ExampleEnd end = new ExampleEnd(device); Introduction server = Introduction.to(address)) {
            TextMessages messages = connect(end, server);
            List<String> all = new ArrayList<>(questions);
            all.add(LAST);
            List<String> answers = new ArrayList<>();
            for (String question : all) {
                messages.send(question);
                answers.add(receive(messages));
            }
            server.swap("done");
            return answers;
        }
    }

    private static TextMessages connect(ExampleEnd end, Introduction other) {
        end.connect(QueuePairEndpoint.parse(other.swap(end.describe().format())));
        TextMessages messages = new TextMessages(end);
        messages.postReceive();
        other.swap("ready"); // nobody sends before the other side has a receive posted
        return messages;
    }

    /** The next message may come as soon as this one was answered. */
    private static String receive(TextMessages messages) {
        String text = messages.receive();
        messages.postReceive();
        return text;
    }
}
