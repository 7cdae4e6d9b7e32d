package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Access;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Devices;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.ValueLayout;

/** Endpoints may be exchanged in any way besides the handshake, with peers that know nothing of this API. */
class Case08OutOfBandTest {
    private static final ConnectionConfig RAW =
            ConnectionConfig.DEFAULT.withMessages(MessageConfig.DEFAULT.withRaw(true));

    @EveryLink
    void aRawConnectionTalksWithAPlainQueuePairThatItKnowsByText(String link) throws Exception {
        try (var node = RdmaNode.open(TestDevices.device(0, link));
                var context = Devices.open(TestDevices.device(1, link));
                var domain = context.allocateProtectionDomain();
                var queue = context.createCompletionQueue(CompletionQueueConfig.of(16));
                var queuePair = domain.createQueuePair(
                        QueuePairConfig.rc(queue, new QueuePairCapabilities(4, 4, 1, 1, 0)));
                var block = context.allocateMemory(64, 64);
                var region = domain.register(block.segment(), Access.LOCAL_WRITE)) {
            var gid = context.queryGidTable().getFirst().gid();
            var theirs = new QueuePairEndpoint(gid, queuePair.qpNum(), 77).format();
            queuePair.modify(QueuePairAttributes.init(1, Access.REMOTE_WRITE));
            var prepared = node.prepare(TestDevices.fit(link, RAW));
            var ours = QueuePairEndpoint.parse(prepared.endpoint().format());
            queuePair.modify(QueuePairAttributes.readyToReceive(ours).pathMtu(prepared.mtu()));
            queuePair.modify(QueuePairAttributes.readyToSend(77));
            try (var connection = prepared.connect(QueuePairEndpoint.parse(theirs));
                    var memory = node.memory().allocate(32)) {
                block.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 4711);
                var received = connection.receiveRaw(memory);
                queuePair.postSend(1, region.address(), 8, region.lkey(), SendFlags.SIGNALED);
                assertEquals(8, Met.get(received).length());
                assertEquals(4711, memory.readable().get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
                var completion = new WorkCompletion();
                Waiting.until("the plain end's completion", () -> queue.poll(completion) == 1);
                assertEquals(WcStatus.SUCCESS, completion.status());
            }
        }
    }

    @EveryLink
    void rawConnectionsConnectByAddressToo(String link) throws Exception {
        try (var met = new Met(link, RAW, HandshakeConfig.DEFAULT, Admission.EVERYBODY)) {
            var client = Met.get(met.asking.connect(met.server.address(), RAW, HandshakeConfig.DEFAULT));
            var server = met.accept();
            try (var from = met.asking.memory().allocate(5); var into = met.serving.memory().allocate(100)) {
                var received = server.receiveRaw(into);
                Met.get(client.sendRaw(from, OperationOptions.DEFAULT));
                assertEquals(5, Met.get(received).length());
            }
        }
    }

    @EveryLink
    void aRawEndAndOneWithFramesRefuseEachOther(String link) throws Exception {
        try (var met = new Met(link, RAW, HandshakeConfig.DEFAULT, Admission.EVERYBODY)) {
            var asked = met.ask();
            var e = Met.failure(asked);
            assertTrue(e.getMessage().contains("alike"), e.getMessage());
            met.bothFail(RdmaConnectException.Kind.CAPABILITY, asked);
        }
    }
}
