package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.VerbsException;
import org.junit.jupiter.api.Test;

/** The configured port and GID are used on every way of connecting. */
class D13PortAndGidTest {
    @Test
    void whatTheDeviceDoesNotHaveIsRefusedWhenTheNodeIsOpened() {
        for (var port : new PortConfig[] {
            PortConfig.DEFAULT.withPort(2), PortConfig.DEFAULT.withGidIndex(7), PortConfig.DEFAULT.withPkeyIndex(1)
        }) {
            var e = assertThrows(
                    VerbsException.class, () -> RdmaNode.open(NodeConfig.of("soft").withPort(port)).close());
            assertTrue(e.getMessage().contains("index") || e.getMessage().contains("port"), e.getMessage());
        }
    }
}
