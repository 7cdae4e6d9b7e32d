package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Software NICs by name and settings: what is refused and why, and how long they live. */
class SoftProviderTest {
    @ParameterizedTest
    @CsvSource({
        "soft?progress=fast, inline or dedicated",
        "soft?progress=, inline or dedicated",
        "soft?progress=INLINE, inline or dedicated",
        "soft?speed=11, progress=inline",
        "soft?link=shm&peer_timeout_ms=999, 1000 to 3600000",
        "soft?link=shm&peer_timeout_ms=3600001, 1000 to 3600000",
        "soft?link=shm&peer_timeout_ms=5s, 1000 to 3600000",
        "soft16, soft",
        "soft-1, soft",
        "soft00, soft",
        "hard, soft",
    })
    void badSpecificationsSayWhatIsAllowed(String specification, String hint) {
        VerbsException e = assertThrows(VerbsException.class, () -> Devices.open(specification));
        assertTrue(e.getMessage().contains(hint), e.getMessage());
    }

    @Test
    void oneNicHasOneNameAndManyContexts() {
        try (Context first = Devices.open("soft"); Context second = Devices.open("soft0")) {
            assertEquals(first.device(), second.device());
            assertEquals(first.queryGid(1, 0), second.queryGid(1, 0));
            try (Context other = Devices.open("soft15")) {
                assertNotEquals(first.queryGid(1, 0).gid(), other.queryGid(1, 0).gid());
                assertNotEquals(first.device().nodeGuid(), other.device().nodeGuid());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void nicsOfOneJvmReachEachOther(Threading threading) {
        try (TwoEnds ends = new TwoEnds(Setup.of(threading, 8).withDevices("soft0", "soft1?progress=dedicated"))) {
            ends.a.set(0, 77);
            End.ok(ends.a.write(1, 0, 8, ends.b));
            End.expect(ends.a.sendCq, 1);
            assertEquals(77, ends.b.get(0));
            End.ok(ends.b.send(2, 0, 8));
            End.ok(ends.a.receive(3, 512, 8));
            End.expect(ends.b.sendCq, 2);
            End.expect(ends.a.recvCq, 3);
            assertEquals(77, ends.a.get(512));
        }
    }

    @Test
    void keysOfOneNicOpenNothingOnAnother() {
        try (TwoEnds ends = new TwoEnds(Setup.of(Threading.SINGLE, 8).withDevices("soft0", "soft1"))) {
            End.ok(ends.a.qp.postWrite(1, ends.a.at(0), 8, ends.a.region.lkey(), ends.a.at(512),
                    ends.a.region.rkey(), io.verbena.verbs.SendFlags.SIGNALED));
            assertEquals(io.verbena.verbs.WcStatus.REM_ACCESS_ERR, End.next(ends.a.sendCq).status());
        }
    }

    @Test
    void otherSettingsAreRefusedWhileTheNicIsOpen() {
        try (Context open = Devices.open("soft5?progress=dedicated")) {
            for (String other : new String[] {"soft5", "soft5?progress=inline"}) {
                VerbsException e = assertThrows(VerbsException.class, () -> Devices.open(other));
                assertEquals(Errno.EEXIST, e.errno());
                assertTrue(e.getMessage().contains("soft5"), e.getMessage());
            }
            Devices.open("soft5?progress=dedicated").close();
            assertEquals("soft5", open.device().name());
        }
        Devices.open("soft5?progress=inline").close();
        Devices.open("soft5?progress=dedicated").close();
    }

    @Test
    void nothingIsLeftOfANicAfterTheLastContextIsClosed() {
        for (int i = 0; i < 100; i++) {
            Context context = Devices.open("soft6?progress=dedicated");
            Thread agent = agent("soft6");
            AllocatedMemory memory = context.allocateMemory(4096, 64);
            VerbsException busy = assertThrows(VerbsException.class, context::close);
            assertEquals(Errno.EBUSY, busy.errno());
            memory.close();
            assertTrue(!memory.segment().scope().isAlive());
            context.close();
            assertFalse(agent.isAlive(), "closing waits until the thread is gone");
            context.close();
            assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, context::allocateProtectionDomain).errno());
        }
    }

    @Test
    void aNicClosedAtOnceLeavesNoThreadThatIsAboutToBegin() {
        Thread[] threads = new Thread[1_000];
        for (int i = 0; i < 25; i++) {
            Devices.open("soft6?progress=dedicated").close();
            int count = Thread.enumerate(threads);
            for (int t = 0; t < count; t++) {
                assertFalse(threads[t].getName().equals("soft6-progress"), "round " + i);
            }
        }
    }

    private static Thread agent(String device) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(device + "-progress")).findFirst().orElseThrow();
    }
}
