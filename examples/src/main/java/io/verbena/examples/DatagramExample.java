package io.verbena.examples;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Destination;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.RouteHeader;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * A question and its answer as datagrams (UD). There is no connection: each datagram names its receiver by an address
 * handle, a queue pair number and a queue key, and the server answers whoever asked without having known of it before.
 * A datagram that finds no receive is lost without a word.
 */
public final class DatagramExample {
    private static final int PORT = 1;
    /** What both ends agree on; a datagram with another queue key is dropped. */
    private static final int QKEY = 0x1234;
    private static final long OUTGOING = 0;
    private static final long INCOMING = 2048;
    private static final int ROOM = 256;

    private DatagramExample() {}

    /**
     * Prints the answer.
     *
     * @param args a device, by default {@code soft}
     */
    public static void main(String[] args) {
        System.out.println("the server answered: " + run(args.length > 0 ? args[0] : "soft", "is anybody there?"));
    }

    /**
     * Asks a question.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @param question up to 200 bytes
     * @return the server's answer
     */
    static String run(String device, String question) {
        try (ExampleEnd server = new ExampleEnd(device, QueuePairType.UD);
                ExampleEnd client = new ExampleEnd(device, QueuePairType.UD)) {
            makeReady(server);
            makeReady(client);
            CompletableFuture<Void> serving = CompletableFuture.runAsync(() -> answer(server));
            String answer = ask(client, server.describe(), question);
            serving.join();
            return answer;
        }
    }

    /** Takes a queue pair to RTS, for datagrams from and to anybody, and posts one receive. */
    private static void makeReady(ExampleEnd end) {
        end.qp.modify(QueuePairAttributes.initUd(PORT, QKEY));
        end.qp.modify(QueuePairAttributes.readyToReceiveUd());
        end.qp.modify(QueuePairAttributes.readyToSendUd(0));
        // Before every message come 40 bytes of header, which say where it came from: a receive needs room for both.
        ExampleEnd.check(end.qp.postReceive(0, end.region.address() + INCOMING, RouteHeader.BYTES + ROOM,
                end.region.lkey()));
    }

    private static String ask(ExampleEnd client, QueuePairEndpoint server, String question) {
        // The handle is the way to the server's port; it stays open until what was sent that way is done.
        try (AddressHandle way = client.domain.createAddressHandle(AddressVector.to(server.gid()))) {
            send(client, question, new Destination(way, server.qpNum(), QKEY));
            receive(client);
            return text(client);
        }
    }

    private static void answer(ExampleEnd server) {
        WorkCompletion asked = receive(server);
        // The header and the completion name the sender: its address, and the number of its queue pair.
        try (AddressHandle back = server.domain.createAddressHandle(asked, incoming(server), PORT)) {
            send(server, "you asked \"" + text(server) + "\"", new Destination(back, asked.srcQp(), QKEY));
            server.await();
        }
    }

    private static void send(ExampleEnd end, String text, Destination to) {
        end.region.segment().setString(OUTGOING, text);
        ExampleEnd.check(end.qp.postSend(0, end.region.address() + OUTGOING, ROOM, end.region.lkey(), to,
                SendFlags.SIGNALED));
    }

    private static WorkCompletion receive(ExampleEnd end) {
        WorkCompletion completion;
        do {
            completion = end.await();
        } while (completion.opcode() != WcOpcode.RECV);
        return completion;
    }

    private static MemorySegment incoming(ExampleEnd end) {
        return end.region.segment().asSlice(INCOMING);
    }

    private static String text(ExampleEnd end) {
        return incoming(end).getString(RouteHeader.BYTES);
    }
}
