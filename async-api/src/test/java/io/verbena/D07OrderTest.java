package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** D7: messages are received in the order in which they were sent, and operations end in that of their start. */
class D07OrderTest {
    private static final int MANY = 300;
    /** Longer than a receive, so that the receiver fetches it. */
    private static final int LONG = 6_000;
    private static final ConnectionConfig CONFIG = ConnectionConfig.DEFAULT
            .withQueues(QueueConfig.DEFAULT.withSends(32).withReceives(32)).withBackPressure(BackPressure.queue(MANY));

    private static LocalMemory numbered(Ends ends, int number) {
        LocalMemory memory = ends.leftMemory(number % 7 == 3 ? LONG : 8 + number % 3);
        memory.writable().set(ValueLayout.JAVA_INT, 0, number);
        return memory;
    }

    private static int number(ReceivedMessage message) {
        return message.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0);
    }

    private static List<Integer> numbers() {
        return IntStream.range(0, MANY).boxed().toList();
    }

    @EveryLink
    void receivesThatWaitGetMessagesInOrder(String link) {
        try (Ends ends = Ends.open(link, CONFIG)) {
            List<RdmaFuture<ReceivedMessage>> received = new ArrayList<>();
            List<RdmaFuture<Void>> sent = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                received.add(ends.right.receive());
                sent.add(ends.left.send(numbered(ends, i)));
            }
            List<Integer> got = new ArrayList<>();
            for (RdmaFuture<ReceivedMessage> each : received) {
                try (ReceivedMessage message = ends.await(each)) {
                    got.add(number(message));
                }
            }
            assertEquals(numbers(), got);
            sent.forEach(ends::await);
        }
    }

    @EveryLink
    void aHandlerGetsThemInOrder(String link) {
        try (Ends ends = Ends.open(link, CONFIG)) {
            List<Integer> got = new ArrayList<>();
            ends.right.onMessage(message -> got.add(number(message)));
            for (int i = 0; i < MANY; i++) {
                ends.left.send(numbered(ends, i));
            }
            ends.until(() -> got.size() == MANY);
            assertEquals(numbers(), got);
        }
    }

    @EveryLink
    void operationsEndInTheOrderOfTheirStart(String link) {
        try (Ends ends = Ends.open(link, CONFIG)) {
            LocalMemory mine = ends.leftMemory(8L * MANY);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            List<Integer> got = new ArrayList<>();
            CompletionCallback ended = (token, status, value) -> got.add((int) token);
            for (int i = 0; i < MANY; i++) {
                LocalMemory one = mine.slice(8L * i, 8);
                assertEquals(OperationStatus.SUCCESS, switch (i % 3) {
                    case 0 -> ends.left.read(one, remote, ended, i);
                    case 1 -> ends.left.write(one, remote, ended, i);
                    default -> ends.left.fetchAndAdd(remote, 1, ended, i);
                });
            }
            ends.until(() -> got.size() == MANY);
            assertEquals(numbers(), got);
        }
    }
}
