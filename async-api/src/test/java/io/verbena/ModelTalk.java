package io.verbena;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The messages of a {@link ModelPair}: each arrives once, in order, whole, to the oldest receive that wants one. */
final class ModelTalk {
    private static final int MOST_RECEIVES = 6;
    private static final int MOST_HELD = 3;
    private static final int LONG = 5_000;

    private final RdmaConnection receiver;
    private final Random random;
    private final int mostHeld;
    private final Deque<ModelMessage> expected = new ArrayDeque<>();
    private final Deque<RdmaFuture<ReceivedMessage>> receives = new ArrayDeque<>();
    private final Deque<Held> held = new ArrayDeque<>();
    private int nextNumber;

    /** A message that is not closed yet. */
    private record Held(ReceivedMessage received, ModelMessage message) {
        void close() {
            message.check(received);
            received.close();
        }
    }

    ModelTalk(RdmaConnection receiver, Random random, int slots) {
        this.receiver = receiver;
        this.random = random;
        mostHeld = Math.min(MOST_HELD, slots - 1);
    }

    /** The next message to send. */
    ModelMessage next() {
        int length = switch (random.nextInt(8)) {
            case 0 -> 0;
            case 1 -> random.nextInt(LONG);
            default -> random.nextInt(400);
        };
        return new ModelMessage(nextNumber++, length);
    }

    /** It was started. */
    void sent(ModelMessage message) {
        expected.add(message);
    }

    void receive() {
        if (receives.size() < MOST_RECEIVES) {
            receives.add(receiver.receive());
        }
    }

    void giveUp() {
        for (RdmaFuture<ReceivedMessage> each : receives) {
            int how = random.nextInt(20);
            if (how == 0) {
                each.cancel(false);
            } else if (how == 1) {
                each.orTimeout(random.nextInt(1_000), TimeUnit.MICROSECONDS);
            }
        }
    }

    void look(boolean failuresAllowed) {
        while (!receives.isEmpty() && receives.peek().isDone()) {
            RdmaFuture<ReceivedMessage> first = receives.poll();
            if (first.state() == Future.State.SUCCESS) {
                arrived(first.resultNow(), failuresAllowed);
            } else if (first.state() == Future.State.FAILED && !failuresAllowed
                    && !(first.exceptionNow() instanceof TimeoutException)) {
                throw new AssertionError("a receive has failed", first.exceptionNow());
            }
        }
        if (held.size() > mostHeld || !held.isEmpty() && random.nextInt(3) == 0) {
            held.poll().close();
        }
    }

    private void arrived(ReceivedMessage received, boolean closing) {
        ModelWorld.check(received.hasImmediate(), "a message arrived without its number");
        int number = received.immediate();
        ModelMessage first = expected.poll();
        while (first != null && first.number != number) {
            // While it is being closed a message may be thrown away, and the next one be received.
            first.overtaken(closing);
            first = expected.poll();
        }
        ModelWorld.check(first != null, "message " + number + " arrived again, or was never sent");
        first.check(received);
        held.add(new Held(received, first));
        if (held.size() > mostHeld) {
            held.poll().close();
        }
    }

    /** Whether all that must arrive has. */
    boolean isComplete() {
        return expected.stream().noneMatch(each -> each.sure);
    }

    /** The connection is closed: who waits has been told, and what was received can still be read. */
    void end() {
        for (RdmaFuture<ReceivedMessage> each : receives) {
            ModelWorld.check(each.isDone(), "a receive has not ended with its connection");
        }
        look(true);
        held.forEach(Held::close);
    }

    @Override
    public String toString() {
        return "expected: " + expected + ", receives: " + receives.size() + ", held: " + held.size();
    }
}
