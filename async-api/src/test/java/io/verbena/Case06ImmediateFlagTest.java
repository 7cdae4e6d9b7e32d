package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;

/**
 * Case 6: whether immediate data came is told by each completion, whatever the data are and whatever came before; no
 * setting says how the device marks it.
 */
class Case06ImmediateFlagTest {
    /** Null for none. Other libraries took 2 or 3 for the mark. */
    private static final List<Integer> DATA = Arrays.asList(0, null, 3, 2, null, null, -1, 0, 1, null);

    @EveryLink
    void messagesHaveImmediateDataIfTheyWereSentWithThem(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory mine = ends.leftMemory(5);
            for (Integer imm : DATA) {
                ends.await(imm == null ? ends.left.send(mine) : ends.left.sendWithImm(mine, imm));
            }
            for (Integer imm : DATA) {
                try (ReceivedMessage message = ends.await(ends.right.receive())) {
                    assertEquals(imm, message.hasImmediate() ? (Integer) message.immediate() : null);
                    assertEquals(5, message.length());
                }
            }
        }
    }

    @EveryLink
    void rawMessagesDoToo(String link) {
        ConnectionConfig raw = ConnectionConfig.DEFAULT.withMessages(MessageConfig.DEFAULT.withRaw(true));
        try (Ends ends = Ends.open(link, raw)) {
            LocalMemory mine = ends.leftMemory(5);
            LocalMemory theirs = ends.rightMemory(5);
            for (Integer imm : DATA) {
                RdmaFuture<RawMessage> received = ends.right.receiveRaw(theirs);
                ends.await(imm == null ? ends.left.sendRaw(mine, null) : ends.left.sendRawWithImm(mine, imm, null));
                assertEquals(new RawMessage(5, imm != null, imm == null ? 0 : imm), ends.await(received));
            }
        }
    }

    @EveryLink
    void aWriteWithImmediateDataIsNoMessage(String link) {
        try (Ends ends = Ends.open(link)) {
            LocalMemory mine = ends.leftMemory(8);
            RemoteMemory remote = ends.rightMemory(8).expose(Ends.REMOTE).remote();
            RdmaFuture<ReceivedMessage> message = ends.right.receive();
            for (int imm : new int[] {0, 2, 3, -1}) {
                ends.await(ends.left.writeWithImm(mine, remote, imm));
                assertEquals(imm, ends.await(ends.right.receiveWriteImm()));
            }
            ends.await(ends.left.sendWithImm(mine, 7));
            assertEquals(7, ends.await(message).immediate());
        }
    }
}
