package io.verbena.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ends and helpers do what their names say; closing everything shows that nothing is left behind. */
class EndTest {
    private Context context;
    private ProtectionDomain pd;
    private End a;
    private End b;

    @BeforeEach
    void connect() {
        context = Devices.open("soft");
        pd = context.allocateProtectionDomain();
        a = new End("a", pd, QueuePairType.RC);
        b = new End("b", pd, QueuePairType.RC);
        Shell.connect(a, b);
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        pd.close();
        context.close();
    }

    @Test
    void messagesArriveWithText() {
        a.put(8, "text");
        assertEquals("posted wrId=1", b.receive(64, 64).toString());
        assertTrue(a.send(8, 5).isOk());
        assertEquals(WcOpcode.SEND, Shell.await(a).opcode());
        assertEquals(5, Shell.await(b).byteLen());
        assertEquals("text", b.text(64));
        assertNull(Shell.poll(b));
        Shell.check(b.receive(0, 64));
        Shell.check(a.sendImm(8, 5, 77));
        assertEquals(77, Shell.await(b).imm());
    }

    @Test
    void remoteMemoryIsWrittenReadAndCounted() {
        a.put(0, "out");
        Shell.check(a.write(0, 4, 256));
        b.put(512, "in");
        Shell.check(a.read(128, 3, 512));
        b.putLong(1024, 5);
        Shell.check(a.fetchAndAdd(2048, 1024, 2));
        Shell.check(a.compareAndSwap(2056, 1024, 7, 70));
        b.receive(0, 0);
        Shell.check(a.writeImm(0, 4, 300, 9));
        List<WorkCompletion> done = Shell.pollAll(a);
        assertEquals(5, done.size());
        assertTrue(done.stream().allMatch(WorkCompletion::isSuccess), done::toString);
        assertEquals(6, done.toString().lines().count());
        assertEquals("no completion", Shell.pollAll(a.cq).toString());
        assertEquals("out", b.text(256));
        assertEquals("out", b.text(300));
        assertEquals("in", a.text(128));
        assertEquals(List.of(5L, 7L, 70L), List.of(a.getLong(2048), a.getLong(2056), b.getLong(1024)));
        assertEquals(9, Shell.await(b).imm());
    }

    @Test
    void failuresAreToldAndConnectRecovers() {
        Shell.check(a.write(0, 8, 1 << 20));
        assertEquals(WcStatus.REM_ACCESS_ERR, Shell.await(a).status());
        List<AsyncEvent> events = Shell.events(context);
        assertTrue(events.toString().startsWith("1 event\n  QP_ACCESS_ERR on RC queue pair 0x"), events.toString());
        assertEquals(QueuePairState.ERR, a.qp.state());
        Shell.connect(a.qp, b.qp);
        Shell.check(a.write(0, 8, 0));
        assertTrue(Shell.await(a).isSuccess());
    }

    @Test
    void refusedPostsSayWhy() {
        for (int i = 0; i < a.qp.capabilities().maxRecvWr(); i++) {
            assertTrue(a.receive(0, 8).isOk());
        }
        Posted refused = a.receive(0, 8);
        assertTrue(refused.toString().startsWith("refused wrId=17: queue full"), refused.toString());
        assertEquals(Errno.ENOMEM, assertThrows(VerbsException.class, () -> Shell.check(refused)).errno());
        assertEquals("PostStatus.QUEUE_FULL (-1, in libibverbs ENOMEM): queue full: poll completions, or create the"
                + " queue pair with more work requests", Shell.explain(refused));
    }

    @Test
    void everyNumberIsExplained() {
        assertEquals("PostStatus.OK: taken", Shell.explain(0));
        assertTrue(Shell.explain(PostStatus.BAD_FLUSH).startsWith("PostStatus.BAD_FLUSH (-18, in libibverbs EINVAL): "),
                Shell.explain(PostStatus.BAD_FLUSH));
        assertEquals("-99 is no code of PostStatus, whose codes are -18 to 0", Shell.explain(-99));
        String ofCompletion = Shell.explain(WcStatus.REM_ACCESS_ERR.code());
        assertTrue(ofCompletion.startsWith("10 is no code of PostStatus, whose codes are -18 to 0; when a poll "),
                ofCompletion);
        assertTrue(ofCompletion.contains("; as the statusCode of a completion it is REM_ACCESS_ERR ("), ofCompletion);
        assertTrue(Shell.explain(1_000).endsWith("it is how many completions were taken"), Shell.explain(1_000));
    }

    @Test
    void completionsAreExplained() {
        Posted posted = a.write(0, 8, 1 << 20);
        assertEquals("PostStatus.OK: taken", Shell.explain(posted));
        String why = Shell.explain(Shell.await(a));
        assertTrue(why.startsWith("wrId " + posted.wrId() + " ended in REM_ACCESS_ERR ("), why);
        assertTrue(why.endsWith(WcStatus.REM_ACCESS_ERR.advice()), why);
        assertEquals("there is no completion", Shell.explain(Shell.poll(a)));
    }

    @Test
    void whatDoesNotFitIntoTheMemoryIsRefusedClearly() {
        a.put(4086, "nine-byte");
        assertEquals("nine-byte", a.text(4086));
        assertEquals("EINVAL: text is 11 bytes with the zero byte at its end; allowed: up to 10 from offset 4086, since"
                + " a has 4096 bytes of memory", refusal(() -> a.put(4086, "nine-b\u00e4\u00e4")));
        assertEquals("nine-byte", a.text(4086), "nothing was written");
        assertEquals("EINVAL: text is null; allowed: a string", refusal(() -> a.put(0, null)));
        assertEquals("EINVAL: offset is -1; allowed: 0 to 4095 in the memory of a", refusal(() -> a.put(-1, "")));
        assertEquals("EINVAL: offset is 4096; allowed: 0 to 4095 in the memory of a", refusal(() -> a.text(4096)));
        assertEquals("EINVAL: offset is 4089; allowed: 0 to 4088 in the memory of a",
                refusal(() -> a.putLong(4089, 1)));
        assertEquals("EINVAL: offset is 9999; allowed: 0 to 4088 in the memory of a",
                refusal(() -> a.getLong(9999)));
        a.buffer.fill((byte) 'x');
        assertEquals("xx", a.text(4094), "no zero byte follows");
    }

    private static String refusal(Executable call) {
        return assertThrows(VerbsException.class, call).getMessage();
    }

    @Test
    void closedQueuesAndUnconnectedEndsAreToldApart() {
        End lone = new End("c", pd, QueuePairType.RC);
        assertEquals("peer", assertThrows(VerbsException.class, () -> lone.write(0, 1, 0)).argument());
        lone.close();
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> Shell.poll(lone)).errno());
        assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, () -> Shell.pollAll(lone)).errno());
    }

    @ParameterizedTest
    @EnumSource
    void pairsOfEveryTypeBecomeReadyAndCanBeShown(QueuePairType type) {
        try (Shell.Pair pair = Shell.pair(pd, type)) {
            assertEquals(QueuePairState.RTS, pair.a().qp.state());
            assertEquals(QueuePairState.RTS, pair.b().qp.state());
            String portrait = Portrait.of(pair.a());
            assertTrue(portrait.startsWith(type + " queue pair 0x"), portrait);
            assertEquals(type == QueuePairType.UD, portrait.contains("  qkey  "), portrait);
            assertEquals(type == QueuePairType.RC, portrait.contains("  retries  "), portrait);
            assertNotNull(pair.a().peer());
        }
    }

    @ParameterizedTest
    @EnumSource
    void messagesOfEveryTypeArrive(QueuePairType type) {
        int header = type == QueuePairType.UD ? 40 : 0;
        try (Shell.Pair pair = Shell.pair(pd, type)) {
            for (int i = 1; i <= 2; i++) {
                pair.a().put(0, "by " + type);
                Shell.check(pair.b().receive(256, header + 64));
                Shell.check(pair.a().send(0, 6));
                assertTrue(Shell.await(pair.a()).isSuccess());
                assertEquals(header + 6, Shell.await(pair.b()).byteLen());
                assertEquals("by " + type, pair.b().text(256 + header));
                assertTrue(Portrait.of(pair.b()).contains("\n  receives  " + " ".repeat(7) + i + "         -"
                        + " ".repeat(12) + i + " ".repeat(7) + i + "\n"), Portrait.of(pair.b()));
                Shell.connect(pair.a(), pair.b());
            }
        }
    }

    @Test
    void queuePairsOfDifferentTypesAreNotConnected() {
        try (Shell.Pair pair = Shell.pair(pd, QueuePairType.UC)) {
            VerbsException e = assertThrows(VerbsException.class, () -> Shell.connect(a.qp, pair.a().qp));
            assertEquals("EINVAL: type is RC and UC; allowed: two of the same type", e.getMessage());
            assertEquals(QueuePairState.RTS, a.qp.state());
        }
    }

    @Test
    void aQueuePairConnectedWithItselfIsALoop() {
        Shell.connect(a.qp, a.qp);
        Shell.check(a.receive(64, 64));
        Shell.check(a.send(0, 8));
        assertEquals(2, Shell.pollAll(a).size());
    }
}
