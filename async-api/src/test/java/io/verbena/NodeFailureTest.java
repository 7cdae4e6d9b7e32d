package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node whose device fails leaves nothing that could be closed. */
class NodeFailureTest {
    private static final NodeConfig CONFIG = NodeConfig.of("failing").withPoller(PollerMode.MANUAL);

    @AfterEach
    void nothingFails() {
        FailingDevice.fails = "";
        FailingDevice.OPEN.clear();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Context.queryGid", "Context.queryPkey", "Context.allocateProtectionDomain",
            "Context.createCompletionChannel", "Context.createCompletionQueue"})
    void aNodeThatCannotBeMadeLeavesNothing(String call) {
        FailingDevice.fails = call;
        VerbsException why = assertThrows(VerbsException.class, () -> RdmaNode.open(CONFIG));
        assertEquals(Errno.ENOMEM, why.errno());
        assertEquals(0, why.getSuppressed().length, "everything could be closed");
        assertEquals(List.of(), FailingDevice.OPEN);
    }

    @Test
    void oneThingThatCannotBeClosedKeepsNoOtherOpen() {
        RdmaNode node = RdmaNode.open(CONFIG);
        assertEquals(List.of("Context", "ProtectionDomain", "CompletionQueue"), FailingDevice.OPEN);
        node.memory().allocate(64);
        FailingDevice.fails = "CompletionQueue.close";
        VerbsException why = assertThrows(VerbsException.class, node::close);
        assertEquals(Errno.ENOMEM, why.errno());
        assertEquals(List.of("Context", "CompletionQueue"), FailingDevice.OPEN, "a context can't be closed before");
        node.close();
    }
}
