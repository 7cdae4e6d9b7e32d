package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.nic.direct.Fabric;
import io.verbena.nic.ring.SendQueue;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.MemoryWindow.Type;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.Threading;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who binds is on the roster that control calls wait for, however the bind comes to be executed. */
class WindowRosterTest {
    /** Enough for everybody who does nothing to be taken off the roster. */
    private static final int QUIET_CONTROL_CALLS = 3;

    private final TwoEnds ends = new TwoEnds(Setup.of(Threading.SAFE, 8));
    private final MemoryRegion region =
            ends.a.pd.register(ends.a.memory.segment(), Access.LOCAL_WRITE | Access.MW_BIND);
    private final MemoryWindow window = ends.a.pd.allocateMemoryWindow(Type.TYPE_1);

    @AfterEach
    void close() {
        window.close();
        region.close();
        ends.close();
    }

    private int bind(long length) {
        return window.bind(ends.a.qp, 1, region, region.address(), length, Access.REMOTE_WRITE, SendFlags.SIGNALED);
    }

    private static long locked(LongSupplier action) {
        Fabric.LOCAL.controlLock().lock();
        try {
            return action.getAsLong();
        } finally {
            Fabric.LOCAL.controlLock().unlock();
        }
    }

    private static long onRoster() {
        return locked(() -> Fabric.LOCAL.generation().roster().size());
    }

    private static void emptyRoster() {
        locked(() -> {
            for (int i = 0; i < QUIET_CONTROL_CALLS; i++) {
                Fabric.LOCAL.quiesce();
            }
            return 0;
        });
        assertEquals(0, onRoster());
    }

    @Test
    void aBindThatHadToWaitPutsItsRequesterOnTheRoster() {
        ends.a.qp.modify(QueuePairAttributes.toState(QueuePairState.SQD));
        End.ok(bind(64));
        emptyRoster();
        // Going on executes the bind, without a post or a look at the peer.
        ends.a.qp.modify(QueuePairAttributes.toState(QueuePairState.RTS));
        assertEquals(1, ends.a.qp.snapshot().sendsExecuted());
        assertEquals(1, onRoster());
        End.expect(ends.a.sendCq, 1);
    }

    @Test
    void aBindThatWaitedForUsersOfItsWindowIsOnTheRosterAgain() {
        End.ok(bind(64));
        End.expect(ends.a.sendCq, 1);
        emptyRoster();
        SendQueue user = ((SoftQueuePair) ends.b.qp).requester().queue();
        user.enterClaimed(); // looks like a long write by the window's key
        try {
            End.ok(bind(128));
            assertEquals(1, ends.a.qp.snapshot().sendsExecuted(), "it waits for the user");
            emptyRoster();
        } finally {
            user.exitClaimed();
        }
        End.expect(ends.a.sendCq, 1);
        assertEquals(1, onRoster());
        assertEquals(QueuePairState.RTS, ends.a.qp.state());
    }
}
