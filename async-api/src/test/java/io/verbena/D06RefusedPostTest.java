package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

/** D6: a post that the device refuses gives memory and place back. */
class D06RefusedPostTest {
    @EveryLink
    void aRefusedPostGivesMemoryAndPlaceBack(String link) {
        ConnectionConfig config = ConnectionConfig.DEFAULT.withQueues(QueueConfig.DEFAULT.withSends(2));
        try (Ends ends = Ends.open(link, config)) {
            LocalMemory mine = ends.leftMemory(200);
            RemoteMemory remote = ends.rightMemory(200).expose(Ends.REMOTE).remote();
            // Too long to be inline: the device refuses it after everything was prepared.
            OperationOptions inline = OperationOptions.DEFAULT.withInline(true);
            for (int i = 0; i < 10; i++) {
                assertInstanceOf(IllegalArgumentException.class,
                        ends.failure(ends.left.write(mine, remote, inline)));
                assertEquals(0, mine.inUse());
                mine.writable();
            }
            ends.await(ends.left.write(mine, remote));
        }
    }
}
