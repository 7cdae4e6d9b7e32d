package io.verbena.nic.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.AddressVector;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Gid;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lists of datagrams, an address handle of which is closed after its request was checked and before it is encoded. */
class HandleClosedMeanwhileTest {
    private static final int QKEY = 5;

    private final Context context = Devices.open("soft");
    private final ProtectionDomain pd = context.allocateProtectionDomain();
    private final CompletionQueue cq = context.createCompletionQueue(CompletionQueueConfig.of(16));
    private final QueuePair qp = pd.createQueuePair(
            QueuePairConfig.rc(cq, new QueuePairCapabilities(4, 4, 1, 1, 8)).withType(QueuePairType.UD));
    private final ClosingMemory memory = new ClosingMemory();
    private final Handle lasting = new Handle(memory);
    private final Handle closing = new Handle(memory);
    private final SendRequests list = new SendRequests(3, 1);
    private Requester requester;

    /** Memory that is asked for while an INLINE request is checked, which is when the handle is closed. */
    private static final class ClosingMemory implements InlineSource {
        private Handle toClose;

        @Override
        public boolean covers(int lkey, long address, long length) {
            toClose.close();
            return true;
        }

        @Override
        public boolean copy(int lkey, long address, long length, MemorySegment target, long offset) {
            return true;
        }
    }

    /** An address handle that anything may close. */
    private static final class Handle implements RoutedHandle {
        private final AddressVector vector = AddressVector.to(new Gid(1, 1));
        private final Route route;

        Handle(InlineSource domain) {
            route = new Route(new Gid(1, 2), vector, domain, null);
        }

        @Override
        public Route route() {
            return route;
        }

        @Override
        public AddressVector vector() {
            return vector;
        }

        @Override
        public void close() {
            route.close();
        }
    }

    @BeforeEach
    void bringUp() {
        qp.modify(new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).port(1).qkey(QKEY));
        qp.modify(QueuePairAttributes.toState(QueuePairState.RTR));
        qp.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(1));
        Requester real = Fabric.LOCAL.find(context.queryGid(1, 0).gid(), qp.qpNum()).requester();
        PostingRules rules = real.rules();
        requester = new Requester(real.self, real.queue, real.lane, new PostingRules(rules.type(),
                rules.singleThreaded(), rules.signalAll(), rules.maxSge(), rules.maxInline(), memory, rules.windows()));
        memory.toClose = closing;
        add(0, 0, lasting);
        add(1, SendFlags.INLINE, closing);
    }

    private void add(int wrId, int flags, Handle handle) {
        list.add(wrId, Opcode.SEND, SendFlags.SIGNALED | flags).sge(8, flags == 0 ? 0 : 8, 0)
                .to(handle, qp.qpNum(), QKEY);
    }

    @AfterEach
    void close() {
        qp.close();
        cq.close();
        pd.close();
        context.close();
    }

    @Test
    void aWholeListIsRefusedWithTheRequestThatLostItsAddress() {
        assertEquals(PostStatus.BAD_ADDRESS_HANDLE, RequestList.postAll(requester, list));
        assertEquals(1, list.refusedIndex());
        assertEquals(0, cq.poll(new WorkCompletion()));
        assertEquals(PostStatus.BAD_ADDRESS_HANDLE, RequestList.postAll(requester, list), "closed before");
        assertEquals(1, list.refusedIndex());
    }

    @Test
    void aListIsPostedUpToTheRequestThatLostItsAddress() {
        assertEquals(PostStatus.BAD_ADDRESS_HANDLE, RequestList.post(requester, list));
        assertEquals(1, list.refusedIndex());
        WorkCompletion completion = new WorkCompletion();
        assertEquals(1, cq.poll(completion));
        assertEquals(0, completion.wrId());
        assertEquals(0, cq.poll(completion));
    }
}
