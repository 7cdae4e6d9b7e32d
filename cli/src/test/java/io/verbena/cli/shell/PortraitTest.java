package io.verbena.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What show and hexdump print. */
class PortraitTest {
    @Test
    void ringsAreShownAsTheyMove() {
        try (Context context = Devices.open("soft"); ProtectionDomain pd = context.allocateProtectionDomain();
                End a = new End("a", pd, QueuePairType.RC); End b = new End("b", pd, QueuePairType.RC)) {
            String reset = Portrait.of(a.qp);
            assertTrue(reset.lines().findFirst().orElseThrow().endsWith(" in RESET"), reset);
            assertEquals(5, reset.lines().count(), reset);
            Shell.connect(a, b);
            a.write(0, 8, 0);
            a.write(0, 8, 0);
            Shell.await(a);
            b.receive(0, 8);
            assertTrue(Portrait.of(a.qp).contains("\n  sends            2         2            2       1\n"));
            assertTrue(Portrait.of(b.qp).contains("\n  receives         1         -            0       0\n"));
            assertEquals("completion queue of 64 on soft0: 1 waiting, not armed\n", Portrait.of(a.cq));
            a.cq.arm(true);
            assertTrue(Portrait.of(a.cq).endsWith("armed for solicited completions\n"));
            assertTrue(Portrait.of(a.mr).contains(String.format("rkey 0x%08x\n", a.mr.rkey())), Portrait.of(a.mr));
            assertTrue(Portrait.of(context).contains("active MTU 4096"), Portrait.of(context));
            assertTrue(Portrait.of(context).contains("device soft0 of provider soft"), Portrait.of(context));
        }
    }

    @Test
    void sharedQueuesWindowsAndHandlesAreShown() {
        try (Context context = Devices.open("soft"); ProtectionDomain pd = context.allocateProtectionDomain();
                SharedReceiveQueue srq =
                        pd.createSharedReceiveQueue(new SharedReceiveQueueConfig(8, 1, Threading.SAFE));
                MemoryWindow window = pd.allocateMemoryWindow(MemoryWindow.Type.TYPE_2);
                AddressHandle handle = pd.createAddressHandle(AddressVector.to(context.queryGid(1, 0).gid()))) {
            srq.postReceive(1, 0, 0, 0);
            assertEquals("shared receive queue of 8 with 1 posted, no limit armed\n", Portrait.of(srq));
            srq.setLimit(3);
            assertTrue(Portrait.of(srq).endsWith(", armed for fewer than 3\n"), Portrait.of(srq));
            assertEquals(String.format("type 2 memory window, rkey 0x%08x, not bound\n", window.rkey()),
                    Portrait.of(window));
            assertTrue(Portrait.of(handle).startsWith("address handle: AddressVector[dgid="), Portrait.of(handle));
        }
    }

    @Test
    void otherThingsAreShownAsTheyAre() {
        assertEquals("17\n", Portrait.of(17));
        assertEquals("17\ntext\n", Portrait.ofAll(17, "text"));
    }

    @Test
    void nothingIsToldAsSuch() {
        String nothing = "null: there is no object; poll answers it when there is no completion\n";
        assertEquals(nothing, Portrait.of(null));
        assertEquals(nothing, Portrait.ofAll((Object[]) null), "as show(null) is compiled");
        assertEquals(nothing + "1\n", Portrait.ofAll(null, 1));
        assertTrue(Portrait.ofAll().startsWith("show what? "), Portrait.ofAll());
    }

    @Test
    void bothEndsOfAPairAreShownWithTheirNames() {
        try (Context context = Devices.open("soft"); ProtectionDomain pd = context.allocateProtectionDomain();
                Shell.Pair pair = Shell.pair(pd, QueuePairType.UC)) {
            String portrait = Portrait.of(pair);
            assertTrue(portrait.startsWith("end ucA\n  UC queue pair 0x"), portrait);
            assertTrue(portrait.contains("\nend ucB\n  UC queue pair 0x"), portrait);
            assertEquals(2 + 2 * Portrait.of(pair.a()).lines().count(), portrait.lines().count(), portrait);
        }
    }

    @Test
    void bytesAreDumpedInRows() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(20);
            memory.copyFrom(MemorySegment.ofArray("0123456789abcdefg~\u007f\n".getBytes(StandardCharsets.US_ASCII)));
            assertEquals("""
                    00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|
                    00000010  67 7e 7f 0a                                       |g~..|
                    """, HexDump.of(memory, 0, 20));
            assertEquals("00000012  7f" + " ".repeat(48) + "|.|\n", HexDump.of(memory, 18, 1));
            assertEquals("", HexDump.of(memory, 20, 0));
            assertEquals("EINVAL: length is 3; allowed: 0 to 2 from this offset",
                    assertThrows(VerbsException.class, () -> HexDump.of(memory, 18, 3)).getMessage());
            assertEquals("EINVAL: offset is -1; allowed: 0 to 20",
                    assertThrows(VerbsException.class, () -> HexDump.of(memory, -1, 3)).getMessage());
        }
    }

    @Test
    void whatTheShellSaysFitsATerminal() {
        for (String text : new String[] {Texts.help(), Texts.banner("1.0", true), Texts.banner("1.0", false)}) {
            text.lines().forEach(line -> assertTrue(line.length() <= 100, line));
        }
    }
}
