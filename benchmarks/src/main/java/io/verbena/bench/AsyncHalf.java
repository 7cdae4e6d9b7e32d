package io.verbena.bench;

import io.verbena.ConnectionConfig;
import io.verbena.LocalMemory;
import io.verbena.NodeConfig;
import io.verbena.PollerMode;
import io.verbena.PreparedConnection;
import io.verbena.RdmaConnection;
import io.verbena.RdmaNode;
import io.verbena.RemoteMemory;
import io.verbena.verbs.Access;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.VerbsException;
import java.util.HexFormat;
import org.HdrHistogram.Histogram;

/** One process's half of a test of the asynchronous API: a node without a thread, and a connection with the other's. */
final class AsyncHalf implements Half {
    private final boolean first;
    private final boolean messages;
    private final RdmaNode node;
    private final PreparedConnection prepared;
    private final LocalMemory memory;
    private final String description;
    private RdmaConnection connection;
    private RemoteMemory remote;

    AsyncHalf(PerfConfig config, boolean first) {
        this.first = first;
        messages = config.test() == PerfTest.ASYNC_LAT;
        node = RdmaNode.open(NodeConfig.of(config.device()).withPoller(PollerMode.MANUAL)
                .withThreading(config.style().threading()));
        try {
            prepared = node.prepare(ConnectionConfig.DEFAULT);
            memory = node.memory().allocate(config.size());
            description = prepared.endpoint().format() + ' '
                    + HexFormat.of().formatHex(memory.expose(Access.REMOTE_READ).remote().toBytes());
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    @Override
    public String describe() {
        return description;
    }

    @Override
    public void join(String other) {
        try {
            String[] words = other.split(" ");
            connection = prepared.connect(QueuePairEndpoint.parse(words[0]));
            remote = RemoteMemory.of(HexFormat.of().parseHex(words[1]));
        } catch (IllegalArgumentException | IndexOutOfBoundsException | VerbsException e) {
            throw new PerfException("the other process describes no end of a connection: " + e.getMessage());
        }
    }

    @Override
    public void settle(ControlChannel channel) {
        // What is sent before the other end can take it is sent again.
    }

    @Override
    public Side.Maker side(StopFlag stop, Histogram times) {
        if (messages) {
            return first ? () -> new AsyncPing(stop, connection, memory, times)
                    : () -> new AsyncPong(stop, connection, memory);
        }
        return first ? () -> new AsyncReader(stop, connection, memory, remote, times) : null;
    }

    @Override
    public void close() {
        node.close();
    }
}
