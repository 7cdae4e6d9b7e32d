package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.verbena.verbs.Access;
import io.verbena.verbs.CompletionHandler;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.DeviceCapability;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Posting and polling allocate nothing. Both queue pairs are here, since commands to a peer do allocate. */
@DisplayName("Allocation on the data path")
@Timeout(120)
class AllocationTest extends FixtureTest {
    private static final int WARM_UP = 30_000;
    private static final int MEASURED = 100_000;
    /** So many operations are enough where each takes long, since packets and their answers travel. */
    private static final int LEAST = 10_000;
    private static final long LONG_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final int FLAGS = SendFlags.SIGNALED;
    /** What one measurement may cost in all, such as a compiler's or profiler's hiccup: 1/1000 byte an operation. */
    private static final int OPERATIONS_PER_BYTE = 1_000;

    private final WorkCompletion completion = new WorkCompletion();
    private final WorkCompletion[] batch = {new WorkCompletion(), new WorkCompletion()};
    private Side left;
    private Side right;
    private long handled;

    /** One end. */
    private record Side(CompletionQueue sendCq, CompletionQueue recvCq,
            QueuePair qp, Buffer buffer) {}

    private Side side(Shape shape) {
        var sendCq = fixture.a().completionQueue(64, false, shape.threading());
        var recvCq = fixture.a().completionQueue(64, false, shape.threading());
        var spec = new QueuePairSpec().threading(shape.threading()).depth(32, 32);
        return new Side(sendCq, recvCq, fixture.a().queuePair(spec, sendCq, recvCq),
                fixture.local(4096, shape.kind()));
    }

    private void prepare(Shape shape) {
        left = side(shape);
        right = side(shape);
        var gid = fixture.a().gid();
        new LinkSpec().psn(1).connect(left.qp(), new QueuePairEndpoint(gid, right.qp().qpNum(), 2));
        new LinkSpec().psn(2).connect(right.qp(), new QueuePairEndpoint(gid, left.qp().qpNum(), 1));
    }

    /** Runs an operation that must succeed, and fails when it allocates. */
    static void allocatesNothing(String what, BooleanSupplier operation) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long bytes = 0;
        int done = 0;
        for (int attempt = 0; attempt < 6 && (done == 0 || bytes > done / OPERATIONS_PER_BYTE); attempt++) {
            run(what, operation, WARM_UP);
            long before = threads.getCurrentThreadAllocatedBytes();
            done = run(what, operation, MEASURED);
            bytes = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertEquals(0, bytes > done / OPERATIONS_PER_BYTE ? bytes : 0,
                what + ": bytes allocated by " + done + " operations");
    }

    private static int run(String what, BooleanSupplier operation, int most) {
        long start = System.nanoTime();
        int done = 0;
        while (done < most && (done < LEAST || System.nanoTime() - start < LONG_NS)) {
            if (!operation.getAsBoolean()) {
                throw new AssertionError(what + " failed at operation " + done);
            }
            done++;
        }
        return done;
    }

    /** Waits with a batch poll for one completion. */
    private boolean polledByBatch(CompletionQueue cq) {
        int polled = 0;
        for (int turn = 0; turn < 1_000_000 && polled == 0; turn++) {
            polled = cq.poll(batch);
        }
        return polled == 1 && batch[0].isSuccess();
    }

    private boolean polledByHandler(CompletionQueue cq, CompletionHandler handler) {
        int polled = 0;
        for (int turn = 0; turn < 1_000_000 && polled == 0; turn++) {
            polled = cq.poll(handler, 8);
        }
        return polled == 1;
    }

    private boolean polled(CompletionQueue cq) {
        for (int turn = 0; turn < 1_000_000; turn++) {
            if (cq.poll(completion) == 1) {
                return completion.isSuccess();
            }
        }
        return false;
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void simplePostsAndPollsAllocateNothing(Shape shape) {
        prepare(shape);
        Buffer here = left.buffer();
        Buffer there = right.buffer();
        int rkey = there.region().rkey();
        for (int size : new int[] {0, 8, 64, 1000}) {
            allocatesNothing("SEND of " + size, () -> right.qp().postReceive(1, there.address(), size, there.lkey())
                    == PostStatus.OK && left.qp().postSend(1, here.address(), size, here.lkey(), FLAGS) == PostStatus.OK
                    && polled(right.recvCq()) && polled(left.sendCq()));
            allocatesNothing("WRITE of " + size, () -> left.qp().postWrite(1, here.address(), size, here.lkey(),
                    there.address(), rkey, FLAGS) == PostStatus.OK && polled(left.sendCq()));
            allocatesNothing("READ of " + size, () -> left.qp().postRead(1, here.address(), size, here.lkey(),
                    there.address(), rkey, FLAGS) == PostStatus.OK && polled(left.sendCq()));
        }
        allocatesNothing("inline WRITE", () -> left.qp().postWrite(1, here.address(), 32, here.lkey(),
                there.address(), rkey, FLAGS | SendFlags.INLINE) == PostStatus.OK && polled(left.sendCq()));
        allocatesNothing("FETCH_AND_ADD", () -> left.qp().postFetchAndAdd(1, here.address(), here.lkey(),
                there.address(), rkey, 1, FLAGS) == PostStatus.OK && polled(left.sendCq()));
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void listsOfEveryOpcodeAllocateNothing(Shape shape) {
        prepare(shape);
        SendRequests list = new SendRequests(7, 2);
        var receives = new ReceiveRequests(3, 1);
        allocatesNothing("list", () -> {
            receives.clear();
            for (int i = 0; i < 3; i++) {
                receives.add(i).sge(right.buffer().address(), 100, right.buffer().lkey());
            }
            fill(list.clear());
            return right.qp().postReceive(receives) == PostStatus.OK && left.qp().postSend(list) == PostStatus.OK
                    && polled(left.sendCq()) && polled(right.recvCq()) && polled(right.recvCq())
                    && polled(right.recvCq());
        });
    }

    private void fill(SendRequests list) {
        Buffer here = left.buffer();
        Buffer there = right.buffer();
        int rkey = there.region().rkey();
        list.add(1, Opcode.SEND, 0).sge(here.address(), 40, here.lkey()).sge(here.address() + 50, 40, here.lkey());
        list.add(2, Opcode.SEND_WITH_IMM, 0).sge(here.address(), 8, here.lkey()).imm(1);
        list.add(3, Opcode.RDMA_WRITE, 0).sge(here.address(), 99, here.lkey()).remote(there.address(), rkey);
        list.add(4, Opcode.RDMA_WRITE_WITH_IMM, 0).sge(here.address(), 9, here.lkey())
                .remote(there.address(), rkey).imm(2);
        list.add(5, Opcode.RDMA_READ, 0).sge(here.address(), 99, here.lkey()).remote(there.address(), rkey);
        list.add(6, Opcode.ATOMIC_CMP_AND_SWP, SendFlags.FENCE).sge(here.address(), 8, here.lkey())
                .remote(there.address(), rkey).compareAndSwap(1, 2);
        list.add(7, Opcode.ATOMIC_FETCH_AND_ADD, FLAGS).sge(here.address(), 8, here.lkey())
                .remote(there.address(), rkey).fetchAndAdd(3);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void bindingWritingAndInvalidatingAllocatesNothing(Shape shape) {
        Assumptions.assumeTrue(fixture.a().context().queryDevice().capabilities()
                .contains(DeviceCapability.MEM_WINDOW_TYPE_2B), "optional: no windows");
        prepare(shape);
        Buffer here = left.buffer();
        MemoryRegion region = fixture.a().keep(fixture.a().domain()
                .register(right.buffer().segment(), Access.LOCAL_WRITE | Access.MW_BIND));
        SendRequests list = new SendRequests(1, 0);
        int rights = Access.REMOTE_WRITE;
        MemoryWindow two = fixture.a().keep(fixture.a().domain().allocateMemoryWindow(MemoryWindow.Type.TYPE_2));
        allocatesNothing("BIND_MW, WRITE, LOCAL_INV", () -> {
            list.clear().add(1, Opcode.BIND_MW, FLAGS).bind(two, 5, region, region.address(), 64, rights);
            boolean bound = right.qp().postSend(list) == PostStatus.OK && polled(right.sendCq());
            boolean written = left.qp().postWrite(1, here.address(), 64, here.lkey(), region.address(), two.rkey(),
                    FLAGS) == PostStatus.OK && polled(left.sendCq());
            list.clear().add(1, Opcode.LOCAL_INV, FLAGS).invalidate(two.rkey());
            return bound && written && right.qp().postSend(list) == PostStatus.OK && polled(right.sendCq());
        });
        allocatesNothing("BIND_MW, SEND_WITH_INV", () -> {
            list.clear().add(1, Opcode.BIND_MW, FLAGS).bind(two, 5, region, region.address(), 64, rights);
            boolean bound = right.qp().postSend(list) == PostStatus.OK && polled(right.sendCq())
                    && right.qp().postReceive(1, 0, 0, 0) == PostStatus.OK;
            list.clear().add(1, Opcode.SEND_WITH_INV, FLAGS).invalidate(two.rkey());
            return bound && left.qp().postSend(list) == PostStatus.OK && polled(left.sendCq())
                    && polled(right.recvCq());
        });
        MemoryWindow one = fixture.a().keep(fixture.a().domain().allocateMemoryWindow(MemoryWindow.Type.TYPE_1));
        allocatesNothing("rebinding, WRITE", () -> one.bind(right.qp(), 1, region, region.address(), 64, rights, FLAGS)
                == PostStatus.OK && polled(right.sendCq()) && left.qp().postWrite(1, here.address(), 64, here.lkey(),
                region.address(), one.rkey(), FLAGS) == PostStatus.OK && polled(left.sendCq()));
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void everyWayOfPollingAllocatesNothing(Shape shape) {
        prepare(shape);
        CompletionHandler handler = each -> handled += each.wrId();
        allocatesNothing("empty poll", () -> left.sendCq().poll(completion) == 0);
        allocatesNothing("poll into an array", () -> left.qp().postWrite(1, 0, 0, 0, 0, 0, FLAGS) == PostStatus.OK
                && polledByBatch(left.sendCq()));
        allocatesNothing("poll with a handler", () -> left.qp().postWrite(1, 0, 0, 0, 0, 0, FLAGS) == PostStatus.OK
                && polledByHandler(left.sendCq(), handler));
    }

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void refusedPostsAllocateNothing(Shape shape) {
        prepare(shape);
        allocatesNothing("bad length", () -> left.qp().postSend(1, 0, -1, 0, FLAGS) == PostStatus.BAD_LENGTH);
        int depth = left.qp().capabilities().maxSendWr();
        for (int i = 0; i < depth; i++) {
            left.qp().postWrite(1, 0, 0, 0, 0, 0, FLAGS);
        }
        allocatesNothing("full queue", () -> left.qp().postWrite(1, 0, 0, 0, 0, 0, FLAGS) == PostStatus.QUEUE_FULL);
    }
}
