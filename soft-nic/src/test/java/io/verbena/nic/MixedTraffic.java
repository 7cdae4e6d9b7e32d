package io.verbena.nic;

import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.Pattern;
import io.verbena.verbs.tck.peer.Waiting;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Rounds of SEND, RDMA WRITE, RDMA READ and FETCH_AND_ADD to a peer that does the same, each checked: bytes, order, and
 * one completion for every request. It ends when it is told to, or when the connection fails.
 */
final class MixedTraffic {
    private static final int RECEIVES = 16;
    private static final int RECEIVE_BYTES = 512;
    private static final int SEND_AT = 8 << 10;
    private static final int COUNTER_AT = 9 << 10;
    private static final int PRIOR_AT = COUNTER_AT + 8;
    private static final int WINDOW_AT = 16 << 10;
    private static final int SOURCE_AT = 32 << 10;
    private static final int READ_AT = 48 << 10;
    private static final int WINDOW_BYTES = 16 << 10;

    private final End end;
    private final long there;
    private final int rkey;
    private final Random random;
    private final ArrayDeque<Long> outstanding = new ArrayDeque<>();
    private final List<WcStatus> failures = new ArrayList<>();
    private final WorkCompletion completion = new WorkCompletion();
    private volatile boolean ending;
    private volatile long rounds;
    private long nextSend;
    private long posted;
    private long ended;
    private long received;

    /** Where the other end is, in words. */
    record Address(QueuePairEndpoint endpoint, long memory, int rkey) {
        static Address of(End end) {
            return new Address(end.address(0), end.at(0), end.region.rkey());
        }

        String format() {
            return endpoint.format() + " " + memory + " " + rkey;
        }

        static Address parse(String text) {
            String[] words = text.split(" ");
            return new Address(QueuePairEndpoint.parse(words[0]), Long.parseLong(words[1]), Integer.parseInt(words[2]));
        }
    }

    /** Connects an end and posts its receives. */
    MixedTraffic(End end, Address other, long seed) {
        this.end = end;
        there = other.memory();
        rkey = other.rkey();
        random = new Random(seed);
        end.connect(other.endpoint(), 0);
        for (int i = 0; i < RECEIVES; i++) {
            postReceive();
        }
    }

    long rounds() {
        return rounds;
    }

    /** Messages that have come, and were checked. */
    long received() {
        return received;
    }

    /** Makes {@link #run} end after the round that is under way, in which it answers what the other end still sends. */
    void end() {
        ending = true;
    }

    /**
     * Makes rounds.
     *
     * @return how the requests ended that did not succeed, in order; empty when it was told to end
     */
    List<WcStatus> run() {
        while (!ending && failures.isEmpty()) {
            round(rounds);
            if (failures.isEmpty()) {
                rounds++;
            }
        }
        if (!failures.isEmpty()) {
            drainReceives();
        }
        return failures;
    }

    private void round(long number) {
        int length = 1 + random.nextInt(RECEIVE_BYTES);
        int bytes = 1 + random.nextInt(WINDOW_BYTES);
        Pattern.fill(end.memory.segment().asSlice(SEND_AT, length), number);
        Pattern.fill(end.memory.segment().asSlice(SOURCE_AT, bytes), -number);
        post(end.qp.postSend(nextSend, end.at(SEND_AT), length, end.region.lkey(), SendFlags.SIGNALED));
        post(end.qp.postWrite(nextSend, end.at(SOURCE_AT), bytes, end.region.lkey(), there + WINDOW_AT, rkey,
                SendFlags.SIGNALED));
        post(end.qp.postRead(nextSend, end.at(READ_AT), bytes, end.region.lkey(), there + WINDOW_AT, rkey,
                SendFlags.SIGNALED));
        post(end.qp.postFetchAndAdd(nextSend, end.at(PRIOR_AT), end.region.lkey(), there + COUNTER_AT, rkey, 1,
                SendFlags.SIGNALED));
        await();
        if (failures.isEmpty()) {
            check(Pattern.mismatch(end.memory.segment().asSlice(READ_AT, bytes), -number) == -1, "bytes read back");
            check(end.get(PRIOR_AT) == number, "the counter was " + end.get(PRIOR_AT) + " in round " + number);
        }
    }

    private void post(int status) {
        check(status == PostStatus.OK, PostStatus.describe(status));
        outstanding.add(nextSend++);
    }

    private void await() {
        if (!Waiting.until(() -> {
            takeReceives();
            takeSends();
            return outstanding.isEmpty();
        }, Waiting.LIMIT_NANOS)) {
            throw new AssertionError("no completion of " + outstanding + " comes, in " + end.qp.state());
        }
    }

    private void takeSends() {
        while (end.sendCq.poll(completion) == 1) {
            long expected = outstanding.isEmpty() ? -1 : outstanding.remove();
            check(completion.wrId() == expected, completion + " instead of " + expected);
            check(failures.isEmpty() || completion.status() == WcStatus.WR_FLUSH_ERR,
                    completion + " after " + failures);
            if (!completion.isSuccess()) {
                failures.add(completion.status());
            }
        }
    }

    /** Takes messages that have come; their places follow from their numbers. */
    void takeReceives() {
        while (end.recvCq.poll(completion) == 1) {
            check(completion.wrId() == ended, completion + " instead of receive " + ended);
            ended++;
            if (completion.isSuccess()) {
                check(received == completion.wrId(), "a message after a flush");
                long at = received % RECEIVES * RECEIVE_BYTES;
                check(Pattern.mismatch(end.memory.segment().asSlice(at, completion.byteLen()), received) == -1,
                        "message " + received + " has other bytes");
                received++;
                postReceive();
            } else {
                check(completion.status() == WcStatus.WR_FLUSH_ERR, completion.toString());
            }
        }
    }

    private void postReceive() {
        int status = end.receive(posted, posted % RECEIVES * RECEIVE_BYTES, RECEIVE_BYTES);
        check(status == PostStatus.OK, PostStatus.describe(status));
        posted++;
    }

    /** Takes all receives, each of which must end once. */
    private void drainReceives() {
        check(Waiting.until(() -> {
            takeReceives();
            return ended == posted;
        }, Waiting.LIMIT_NANOS), posted - ended + " receives are left");
    }

    private static void check(boolean good, String otherwise) {
        if (!good) {
            throw new AssertionError(otherwise);
        }
    }
}
