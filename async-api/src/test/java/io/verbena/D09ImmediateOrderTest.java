package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Access;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Devices;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.WorkCompletion;

/** D9: immediate data are the number that was given, at a peer of this library and at one that speaks verbs alone. */
class D09ImmediateOrderTest {
    private static final int[] DATA = {0, 1, 0x01020304, 0x80000000, -1};

    @EveryLink
    void immediateDataAreTheNumberThatWasGiven(String link) {
        try (Ends ends = Ends.open(link)) {
            for (int imm : DATA) {
                ends.left.sendWithImm(ends.leftMemory(1), imm);
                assertEquals(imm, ends.await(ends.right.receive()).immediate());
            }
        }
    }

    @EveryLink
    void aPlainQueuePairGetsThatNumberToo(String link) {
        ConnectionConfig raw = TestDevices.fit(
                link, ConnectionConfig.DEFAULT.withMessages(MessageConfig.DEFAULT.withRaw(true)));
        try (var node = RdmaNode.open(TestDevices.device(0, link));
                var context = Devices.open(TestDevices.device(1, link));
                var domain = context.allocateProtectionDomain();
                var queue = context.createCompletionQueue(CompletionQueueConfig.of(16));
                var bare = domain.createQueuePair(QueuePairConfig.rc(queue, QueuePairCapabilities.ofDepth(8)))) {
            var prepared = node.prepare(raw);
            bare.modify(QueuePairAttributes.init(1, Access.REMOTE_WRITE));
            bare.modify(QueuePairAttributes.readyToReceive(prepared.endpoint()).pathMtu(prepared.mtu()));
            bare.modify(QueuePairAttributes.readyToSend(77));
            var connection = prepared.connect(
                    new QueuePairEndpoint(context.queryGidTable().getFirst().gid(), bare.qpNum(), 77));
            var nothing = node.memory().allocate(1).slice(0, 0);
            var completion = new WorkCompletion();
            for (int imm : DATA) {
                bare.postReceive(1, 0, 0, 0);
                connection.sendRawWithImm(nothing, imm, null);
                Waiting.until("it has arrived", () -> queue.poll(completion) == 1);
                assertEquals(imm, completion.imm());
            }
            connection.closeNow();
        }
    }
}
