package io.verbena;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.VerbsException;

/** The configured port, GID and partition key are used on every way of connecting. */
class D13PortAndGidTest {
    /** The software NIC with other numbers, over a link. */
    private static NodeConfig moved(String link) {
        String device = TestDevices.device(0, link).replaceFirst("^soft\\d*", "moved");
        return NodeConfig.of(device).withPort(MovedDevice.PORT);
    }

    @EveryLink
    void whatTheDeviceDoesNotHaveIsRefusedWhenTheNodeIsOpened(String link) {
        for (var port : new PortConfig[] {
            PortConfig.DEFAULT.withPort(2), PortConfig.DEFAULT.withGidIndex(7), PortConfig.DEFAULT.withPkeyIndex(1)
        }) {
            var config = NodeConfig.of(TestDevices.device(0, link)).withPort(port);
            var e = assertThrows(VerbsException.class, () -> RdmaNode.open(config).close());
            assertTrue(e.getMessage().contains("index") || e.getMessage().contains("port"), e.getMessage());
        }
    }

    @EveryLink
    void connectingByAddressUsesThem(String link) throws Exception {
        var moved = moved(link);
        try (var serving = RdmaNode.open(moved);
                var asking = RdmaNode.open(moved);
                var server = serving.listen(Met.anyPort())) {
            var client = Met.get(asking.connect(server.address()));
            Met.talk(asking, client, Met.get(server.accept()), "over port 2");
        }
    }

    @EveryLink
    void connectingInTheProcessAndOutOfBandUsesThem(String link) throws Exception {
        try (var node = RdmaNode.open(moved(link))) {
            var pair = node.pair(ConnectionConfig.DEFAULT);
            Met.talk(node, pair[0], pair[1], "over port 2");
            var one = node.prepare(ConnectionConfig.DEFAULT);
            var other = node.prepare(ConnectionConfig.DEFAULT);
            var connected = one.connect(other.endpoint());
            Met.talk(node, connected, other.connect(one.endpoint()), "and again");
        }
    }
}
