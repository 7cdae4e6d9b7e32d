package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WorkCompletion;
import org.junit.jupiter.api.Test;

/** Connections without frames: exact lengths, and peers that know nothing but verbs. */
class RawConnectionTest {
    private static final ConnectionConfig RAW =
            ConnectionConfig.DEFAULT.withMessages(MessageConfig.DEFAULT.withRaw(true));

    @EveryLink
    void aReceiveTellsHowManyBytesCame(String link) {
        try (Ends ends = Ends.open(link, RAW)) {
            LocalMemory into = ends.rightMemory(100);
            RdmaFuture<RawMessage> first = ends.right.receiveRaw(into.slice(0, 50));
            RdmaFuture<RawMessage> second = ends.right.receiveRaw(into.slice(50, 50));
            assertThrows(OwnershipException.class, into::readable);
            LocalMemory mine = ends.leftMemory(7);
            mine.writable().fill((byte) 3);
            ends.left.sendRaw(mine, null);
            ends.left.sendRawWithImm(mine.slice(0, 0), 0x01020304, null);
            RawMessage got = ends.await(first);
            assertEquals(new RawMessage(7, false, 0), got);
            assertEquals(new RawMessage(0, true, 0x01020304), ends.await(second));
            assertEquals(-1, into.slice(0, 7).readable().mismatch(mine.readable()));
        }
    }

    @Test
    void receivesAreQuiescedWhenTheConnectionEnds() {
        try (Ends ends = Ends.open("soft", RAW)) {
            LocalMemory into = ends.rightMemory(100);
            RdmaFuture<RawMessage> waits = ends.right.receiveRaw(into);
            ends.right.closeNow();
            OperationFailedException flushed = assertInstanceOf(OperationFailedException.class, waits.exceptionNow());
            assertTrue(flushed.getCause().getMessage().contains("closed"), flushed.getCause().getMessage());
            assertTrue(waits.quiesced().isDone());
            into.writable();
        }
    }

    @Test
    void framesAndRawReceivesDoNotMix() {
        try (Ends ends = Ends.open("soft")) {
            assertThrows(IllegalStateException.class, () -> ends.left.receiveRaw(ends.leftMemory(8)));
        }
        try (Ends ends = Ends.open("soft", RAW)) {
            assertThrows(IllegalStateException.class, () -> ends.left.receive());
        }
    }

    @Test
    void aQueuePairOfVerbsAloneIsAPeer() {
        try (RdmaNode node = RdmaNode.open(Ends.node("soft", PollerMode.MANUAL));
                Context context = Devices.open("soft8");
                ProtectionDomain domain = context.allocateProtectionDomain();
                CompletionQueue queue = context.createCompletionQueue(CompletionQueueConfig.of(16));
                QueuePair bare = domain.createQueuePair(
                        QueuePairConfig.rc(queue, QueuePairCapabilities.ofDepth(4)))) {
            PreparedConnection prepared = node.prepare(RAW);
            bare.modify(QueuePairAttributes.init(1, 0));
            bare.modify(QueuePairAttributes.readyToReceive(prepared.endpoint()).pathMtu(prepared.mtu()));
            bare.modify(QueuePairAttributes.readyToSend(77));
            QueuePairEndpoint endpoint =
                    new QueuePairEndpoint(context.queryGid(1, 0).gid(), bare.qpNum(), 77);
            RdmaConnection connection = prepared.connect(endpoint);
            bare.postReceive(1, 0, 0, 0);
            connection.sendRawWithImm(node.memory().allocate(1).slice(0, 0), 42, null).join();
            WorkCompletion completion = new WorkCompletion();
            while (queue.poll(completion) == 0) {
                node.poll();
            }
            assertEquals(WcOpcode.RECV, completion.opcode());
            assertEquals(42, completion.imm());
            connection.close();
        }
    }
}
