package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.PeerAnswer.ServiceReport;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.ServiceSpec;
import io.verbena.verbs.tck.peer.Waiting;
import io.verbena.verbs.tck.peer.WorkSpec;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What was written before a SEND is visible when the receive of the SEND has completed. */
@DisplayName("C23 WRITE then SEND")
@Timeout(60)
class WriteThenSendC23Test extends FixtureTest {
    private static final int ITERATIONS = 2_000;
    private static final int MESSAGE = 64;

    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void writtenDataIsVisibleAtTheReceiveCompletion(Shape shape) {
        Pair pair = fixture.connected(shape.spec());
        Buffer local = fixture.local(Shape.largest(), shape.kind());
        RemoteBuffer remote = fixture.remote(Shape.largest(), shape.kind());
        for (int size : shape.sizes()) {
            local.fill(0, size, size + 1);
            pair.postRemoteReceive(WorkSpec.receive(size));
            pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(local.address(), size, local.lkey())
                    .remote(remote.address(), remote.rkey()).flags(0), WorkSpec.send(2, Opcode.SEND));
            assertEquals(size, pair.awaitRemoteReceive(WcStatus.SUCCESS).wrId());
            remote.check(0, size, size + 1, "written before the message");
            pair.await(WcStatus.SUCCESS);
        }
    }

    /** B checks on a thread of its own at the very moment its receive completes, then answers. */
    @ParameterizedTest
    @MethodSource("io.verbena.verbs.tck.Shape#usual")
    void writtenDataIsVisibleToAnotherThreadAtOnce(Shape shape) {
        Pair pair = fixture.connected(shape.spec());
        for (int bytes : new int[] {64, 4000}) {
            verify(pair, shape, bytes);
            pair.reconnect();
        }
    }

    private void verify(Pair pair, Shape shape, int bytes) {
        Buffer data = fixture.local(bytes, shape.kind());
        Buffer answers = fixture.local(MESSAGE, shape.kind());
        RemoteBuffer written = fixture.remote(bytes, shape.kind());
        RemoteBuffer messages = fixture.remote(16 * MESSAGE, shape.kind());
        int service = fixture.b().execute(new PeerCommand.StartService(new ServiceSpec(ServiceSpec.Kind.ECHO,
                new ServiceSpec.Objects(pair.remoteQp(), pair.remoteSendCq(), pair.remoteRecvCq()), messages.region(),
                MESSAGE, 0, new ServiceSpec.Check(written.memory(), bytes))));
        SendRequests list = new SendRequests(2, 1);
        WorkCompletion completion = new WorkCompletion();
        for (int i = 0; i < ITERATIONS; i++) {
            data.fill(i);
            assertEquals(PostStatus.OK, pair.qp().postReceive(i, answers.address(), MESSAGE, answers.lkey()));
            list.clear().add(i, Opcode.RDMA_WRITE, 0).sge(data.address(), bytes, data.lkey())
                    .remote(written.address(), written.rkey());
            list.add(i, Opcode.SEND_WITH_IMM, SendFlags.SIGNALED).imm(i);
            assertEquals(PostStatus.OK, pair.qp().postSend(list));
            int round = i;
            boolean answered = Waiting.until(() -> pair.recvCq().poll(completion) > 0, Waiting.LIMIT_NANOS);
            assertEquals(true, answered, () -> "no answer to message " + round + ": "
                    + fixture.b().execute(new PeerCommand.StopService(service)));
            assertEquals(WcStatus.SUCCESS, completion.status());
            pair.await(WcStatus.SUCCESS);
        }
        ServiceReport report = fixture.b().execute(new PeerCommand.StopService(service));
        assertEquals(new ServiceReport(ITERATIONS, ""), report);
    }
}
