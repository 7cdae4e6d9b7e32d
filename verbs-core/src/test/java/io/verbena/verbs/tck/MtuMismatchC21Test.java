package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Mtu;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Sides whose path MTUs differ: what fits one packet of both works, the rest is an invalid request. */
@DisplayName("C21 path MTU mismatch")
@Timeout(60)
class MtuMismatchC21Test extends FixtureTest {
    /**
     * Path MTUs and a size.
     *
     * @param a at A
     * @param b at B
     * @param size of the message
     * @param works whether it fits
     */
    record Mismatch(Mtu a, Mtu b, int size, boolean works) {}

    static List<Mismatch> mismatches() {
        return List.of(
                new Mismatch(Mtu.MTU_2048, Mtu.MTU_1024, 1, true),
                new Mismatch(Mtu.MTU_2048, Mtu.MTU_1024, 1023, true),
                new Mismatch(Mtu.MTU_2048, Mtu.MTU_1024, 1024, true),
                new Mismatch(Mtu.MTU_2048, Mtu.MTU_1024, 1025, false),
                new Mismatch(Mtu.MTU_2048, Mtu.MTU_1024, 2048, false),
                new Mismatch(Mtu.MTU_2048, Mtu.MTU_1024, 2049, false),
                new Mismatch(Mtu.MTU_4096, Mtu.MTU_256, 256, true),
                new Mismatch(Mtu.MTU_4096, Mtu.MTU_256, 257, false),
                new Mismatch(Mtu.MTU_4096, Mtu.MTU_256, 100_000, false),
                new Mismatch(Mtu.MTU_512, Mtu.MTU_1024, 512, true),
                new Mismatch(Mtu.MTU_512, Mtu.MTU_1024, 513, false),
                new Mismatch(Mtu.MTU_512, Mtu.MTU_1024, 2048, false));
    }

    private Pair connect(Mismatch mismatch) {
        PairSpec spec = new PairSpec();
        spec.linkA().mtu(mismatch.a());
        spec.linkB().mtu(mismatch.b());
        return fixture.connected(spec);
    }

    private void run(Mismatch mismatch, Opcode opcode, Set<WcStatus> failures) {
        Pair pair = connect(mismatch);
        Buffer local = fixture.local(mismatch.size(), MemoryKind.DEVICE).fill(1);
        RemoteBuffer remote = fixture.remote(mismatch.size(), MemoryKind.DEVICE).fill(1);
        pair.postRemoteReceive(1, remote, 0, mismatch.size());
        pair.post(WorkSpec.send(1, opcode).sge(local.address(), mismatch.size(), local.lkey())
                .remote(remote.address(), remote.rkey()));
        WcStatus status = pair.await().status();
        if (mismatch.works()) {
            assertEquals(WcStatus.SUCCESS, status);
            remote.check(0, mismatch.size(), 1, opcode);
        } else {
            assertTrue(failures.contains(status), opcode + " gave " + status);
        }
    }

    @ParameterizedTest
    @MethodSource("mismatches")
    void sendIsAnInvalidRequest(Mismatch mismatch) {
        run(mismatch, Opcode.SEND, Set.of(WcStatus.REM_INV_REQ_ERR));
    }

    @ParameterizedTest
    @MethodSource("mismatches")
    void sendWithImmediateIsAnInvalidRequest(Mismatch mismatch) {
        run(mismatch, Opcode.SEND_WITH_IMM, Set.of(WcStatus.REM_INV_REQ_ERR));
    }

    @ParameterizedTest
    @MethodSource("mismatches")
    void writeIsAnInvalidRequest(Mismatch mismatch) {
        run(mismatch, Opcode.RDMA_WRITE, Set.of(WcStatus.REM_INV_REQ_ERR));
    }

    @ParameterizedTest
    @MethodSource("mismatches")
    void writeWithImmediateIsAnInvalidRequest(Mismatch mismatch) {
        run(mismatch, Opcode.RDMA_WRITE_WITH_IMM, Set.of(WcStatus.REM_INV_REQ_ERR));
    }

    @ParameterizedTest
    @MethodSource("mismatches")
    void readEndsInAnInvalidRequestOrABadResponse(Mismatch mismatch) {
        run(mismatch, Opcode.RDMA_READ, Set.of(WcStatus.REM_INV_REQ_ERR, WcStatus.BAD_RESP_ERR));
    }
}
