package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.verbena.verbs.Access;
import io.verbena.verbs.WcStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the device reports is noticed though nothing completes. */
class EventsTest {
    private static final ConnectionConfig RAW = ConnectionConfig.DEFAULT
            .withMessages(MessageConfig.DEFAULT.withRaw(true))
            .withTransport(TransportConfig.DEFAULT.withKeepalive(null));

    @ParameterizedTest
    @ValueSource(strings = {"soft", "shm", "udp"})
    void anEndThatRefusedARequestKnowsThatItHasFailedThoughItHasNoReceives(String link) {
        try (Ends ends = Ends.open(link, RAW)) {
            LocalMemory there = ends.rightMemory(64);
            RemoteMemory wrong = RemoteMemory.of(there.address(), 64, there.lkey(), Access.REMOTE_WRITE);
            OperationFailedException why = assertInstanceOf(
                    OperationFailedException.class, ends.failure(ends.left.write(ends.leftMemory(64), wrong)));
            assertEquals(WcStatus.REM_ACCESS_ERR, why.status());
            ends.until(() -> ends.right.state() == ConnectionState.FAILED);
        }
    }

    @Test
    void aLookForEventsEndsWithTheConnections() {
        try (RdmaNode node = RdmaNode.open(Ends.node("soft", PollerMode.MANUAL))) {
            EventWatch watch = new EventWatch(node);
            RdmaConnection[] pair = node.pair(RAW);
            assertEquals(100_000_007, watch.onDue(7));
            pair[0].closeNow();
            pair[1].closeNow();
            assertEquals(Long.MAX_VALUE, watch.onDue(8));
        }
    }
}
