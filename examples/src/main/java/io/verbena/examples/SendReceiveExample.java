package io.verbena.examples;

import java.util.concurrent.CompletableFuture;

/**
 * Two threads exchange messages: a client asks, a server answers. A SEND goes into the oldest receive that the other
 * end has posted, so receives are posted before the other end may send.
 */
public final class SendReceiveExample {
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
            TextMessages ofServer = new TextMessages(server);
            TextMessages ofClient = new TextMessages(client);
            ofServer.postReceive();
            ofClient.postReceive();
            CompletableFuture<Void> serving = CompletableFuture.runAsync(
                    () -> ofServer.send("you asked \"" + ofServer.receive() + "\""));
            ofClient.send(question);
            String answer = ofClient.receive();
            serving.join();
            return answer;
        }
    }
}
