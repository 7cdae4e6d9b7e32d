package io.verbena;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.VerbsException;
import org.junit.jupiter.api.Test;

/** The configured port, GID and partition key are used on every way of connecting. */
class D13PortAndGidTest {
    private static final NodeConfig MOVED = NodeConfig.of("moved").withPort(MovedDevice.PORT);

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

    @Test
    void connectingByAddressUsesThem() throws Exception {
        try (var serving = RdmaNode.open(MOVED);
                var asking = RdmaNode.open(MOVED);
                var server = serving.listen(Met.anyPort())) {
            var client = Met.get(asking.connect(server.address()));
            Met.talk(asking, client, Met.get(server.accept()), "over port 2");
        }
    }

    @Test
    void connectingInTheProcessAndOutOfBandUsesThem() throws Exception {
        try (var node = RdmaNode.open(MOVED)) {
            var pair = node.pair(ConnectionConfig.DEFAULT);
            Met.talk(node, pair[0], pair[1], "over port 2");
            var one = node.prepare(ConnectionConfig.DEFAULT);
            var other = node.prepare(ConnectionConfig.DEFAULT);
            var connected = one.connect(other.endpoint());
            Met.talk(node, connected, other.connect(one.endpoint()), "and again");
        }
    }
}
