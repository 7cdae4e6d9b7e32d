package io.verbena.examples;

import io.verbena.ConnectionClosedException;
import io.verbena.ConnectionState;
import io.verbena.LocalMemory;
import io.verbena.RdmaConnection;
import io.verbena.RdmaNode;
import io.verbena.RdmaServer;
import io.verbena.ReceivedMessage;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Requests and answers as messages, with the asynchronous API: start it with {@code server} in one terminal and with
 * {@code client} in another one. The client has several requests under way; immediate data number them, and come
 * back with the answers.
 */
public final class AsyncRequestExample {
    private static final int PATIENCE_SECONDS = 10;
    /** Fewer than {@link io.verbena.QueueConfig#receives()}, or both ends could be full of what nobody takes. */
    private static final int UNDER_WAY = 16;

    private AsyncRequestExample() {}

    /**
     * Serves one client, or is it.
     *
     * @param args server or client, perhaps a device and an address
     */
    public static void main(String[] args) {
        TwoTerminals.of(args).run(AsyncRequestExample::run);
    }

    private static void run(TwoTerminals given) {
        if (given.server()) {
            System.out.println("answered " + serve(given.device(), given.address()) + " requests");
        } else {
            List<String> questions = List.of("who is there?", "how are you?", "long: " + "?".repeat(10_000));
            for (String answer : ask(given.device(), given.address(), questions)) {
                System.out.println(answer.length() < 80 ? answer : answer.length() + " characters");
            }
        }
    }

    /** Answers a client until it closes the connection; returns how many requests came. */
    static int serve(String device, InetSocketAddress address) {
        try (RdmaNode node = RdmaNode.open(device);
                RdmaServer server = node.listen(address);
                RdmaConnection client = server.accept().join()) {
            int answered = 0;
            while (answer(node, client)) {
                answered++;
            }
            return answered;
        }
    }

    /** Answers the next request; false when there is none any more. */
    private static boolean answer(RdmaNode node, RdmaConnection client) {
        try (ReceivedMessage request = client.receive().join()) {
            send(node, client, request.immediate(), "you said \"" + AsyncText.of(request) + "\"");
            return true;
        } catch (CompletionException e) {
            if (e.getCause() instanceof ConnectionClosedException && client.state() != ConnectionState.FAILED) {
                return false;
            }
            throw e;
        }
    }

    /** Asks; returns the answers in the order of the questions. */
    static List<String> ask(String device, InetSocketAddress address, List<String> questions) {
        try (RdmaNode node = RdmaNode.open(device); RdmaConnection server = node.connect(address).join()) {
            String[] answers = new String[questions.size()];
            int asked = 0;
            for (int answered = 0; answered < answers.length; ) {
                if (asked < answers.length && asked - answered < UNDER_WAY) {
                    send(node, server, asked, questions.get(asked));
                    asked++;
                } else {
                    receive(server, answers);
                    answered++;
                }
            }
            return Arrays.asList(answers);
        }
    }

    private static void send(RdmaNode node, RdmaConnection to, int number, String text) {
        try (LocalMemory message = AsyncText.of(node, text)) {
            to.sendWithImm(message, number).join(); // done when it has arrived there, taken or not
        }
    }

    private static void receive(RdmaConnection server, String[] answers) {
        try (ReceivedMessage answer = server.receive().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join()) {
            answers[answer.immediate()] = AsyncText.of(answer);
        }
    }
}
