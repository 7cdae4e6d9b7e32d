package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.async.memory.Root;
import io.verbena.async.op.OpCode;
import io.verbena.async.op.Operation;
import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A long message ends once its offer has left and the peer has answered, whichever comes first. */
class OffersTest {
    private final List<Integer> told = new ArrayList<>();
    private Ends ends;
    private Offers offers;
    private Operation op;

    @BeforeEach
    void offer() {
        ends = Ends.open("soft");
        offers = new Offers(ends.left.core);
        op = ends.left.core.user.reserve();
        op.kind = OpCode.SEND;
        op.target = (CompletionCallback) (token, status, value) -> told.add(status);
        Root root = (Root) ends.leftMemory(10_000).loans();
        offers.begin(op.index(), root.grants().open(root, 0, 10_000, Access.REMOTE_READ, () -> { }));
    }

    @AfterEach
    void nothingIsLeft() {
        assertEquals(0, ends.left.core.user.inUse());
        assertEquals(0, ends.here.memory().leases());
        ends.close();
    }

    @Test
    void theAnswerMayComeBeforeTheCompletion() {
        assertTrue(offers.answered(op.wrId(), 0));
        assertEquals(List.of(), told);
        assertEquals(1, ends.left.core.user.inUse(), "the queue pair still has its request");
        assertFalse(offers.answered(op.wrId(), 0), "answered already");
        assertTrue(offers.completed(op, OperationStatus.SUCCESS));
        assertEquals(List.of(OperationStatus.SUCCESS), told);
    }

    @Test
    void theAnswerMayComeAfterTheCompletion() {
        long wrId = op.wrId();
        assertTrue(offers.completed(op, OperationStatus.SUCCESS));
        assertEquals(List.of(), told);
        assertTrue(offers.answered(wrId, 1));
        assertEquals(List.of(OperationStatus.REFUSED), told);
        assertFalse(offers.answered(wrId, 1), "answered already");
    }

    @Test
    void aFailedOfferIsTakenBackAtOnceAndAnOpenOneByItsCompletion() {
        offers.failed();
        assertEquals(List.of(), told);
        assertFalse(offers.completed(op, WcStatus.WR_FLUSH_ERR.code()));
        assertEquals(0, ends.here.memory().leases());
        op.free();
    }

    @Test
    void whatWaitsForAnAnswerEndsWithTheConnection() {
        offers.completed(op, OperationStatus.SUCCESS);
        offers.failed();
        assertEquals(List.of(WcStatus.WR_FLUSH_ERR.code()), told);
    }
}
