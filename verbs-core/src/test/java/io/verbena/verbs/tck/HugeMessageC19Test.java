package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The longest message is 2^31 bytes. */
@DisplayName("C19 longest message")
@Timeout(300)
class HugeMessageC19Test extends FixtureTest {
    private static final long LONGEST = 1L << 31;

    @Test
    void portReportsTheLongestMessage() {
        assertEquals(LONGEST, fixture.a().context().queryPort(1).maxMessageBytes());
    }

    @Test
    void oneByteMoreIsRefusedAtThePost() {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(64, MemoryKind.DEVICE);
        for (Opcode opcode : new Opcode[] {
            Opcode.SEND, Opcode.SEND_WITH_IMM, Opcode.RDMA_WRITE, Opcode.RDMA_WRITE_WITH_IMM, Opcode.RDMA_READ}) {
            WorkSpec whole = WorkSpec.send(1, opcode).sge(local.address(), LONGEST + 1, local.lkey());
            assertEquals(PostStatus.BAD_LENGTH, pair.tryPost(whole), opcode.toString());
            WorkSpec sum = WorkSpec.send(1, opcode).sge(local.address(), LONGEST, local.lkey())
                    .sge(local.address(), 1, local.lkey());
            assertEquals(PostStatus.BAD_LENGTH, pair.tryPost(sum), opcode + " in two entries");
        }
        pair.expectNoCompletion();
    }

    @Test
    void lengthsWhoseSumOverflowsAreRefused() {
        Pair pair = fixture.connected();
        long[][] lengths = {{Long.MAX_VALUE, Long.MAX_VALUE}, {Long.MAX_VALUE, 1}, {-1, 2}, {Long.MIN_VALUE, 0},
            {1L << 62, 1L << 62, 1L << 62, 1L << 62}};
        for (long[] each : lengths) {
            WorkSpec write = WorkSpec.send(1, Opcode.RDMA_WRITE);
            for (long length : each) {
                write.sge(0, length, 0);
            }
            assertEquals(PostStatus.BAD_LENGTH, pair.tryPost(write), Arrays.toString(each));
        }
        assertEquals(PostStatus.BAD_LENGTH, pair.qp().postSend(1, 0, LONGEST + 1, 0, SendFlags.SIGNALED));
        assertEquals(PostStatus.BAD_LENGTH, pair.qp().postWrite(1, 0, -1, 0, 0, 0, SendFlags.SIGNALED));
        assertEquals(PostStatus.BAD_LENGTH, pair.qp().postRead(1, 0, Long.MAX_VALUE, 0, 0, 0, SendFlags.SIGNALED));
    }

    @Test
    @Tag("ci")
    void writeAndReadOfTheLongestMessageWork() {
        Pair pair = fixture.connected();
        Buffer local = fixture.local(LONGEST, MemoryKind.SPARSE_FILE);
        RemoteBuffer remote = fixture.remote(LONGEST, MemoryKind.SPARSE_FILE);
        long[] places = {0, 1L << 30, LONGEST - 4096};
        for (long place : places) {
            local.fill(place, 4096, place + 1);
        }
        pair.post(WorkSpec.send(1, Opcode.RDMA_WRITE).sge(local.address(), LONGEST, local.lkey())
                .remote(remote.address(), remote.rkey()));
        pair.await(WcStatus.SUCCESS);
        for (long place : places) {
            remote.check(place, 4096, place + 1, "longest write");
            remote.fill(place, 4096, place + 2);
        }
        pair.post(WorkSpec.send(1, Opcode.RDMA_READ).sge(local.address(), LONGEST, local.lkey())
                .remote(remote.address(), remote.rkey()));
        assertEquals(LONGEST, pair.await(WcStatus.SUCCESS).byteLen());
        for (long place : places) {
            local.check(place, 4096, place + 2, "longest read");
        }
    }
}
