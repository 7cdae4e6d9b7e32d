package io.verbena.bench;

import io.verbena.ConnectionConfig;
import io.verbena.LocalMemory;
import io.verbena.NodeConfig;
import io.verbena.PollerMode;
import io.verbena.RdmaConnection;
import io.verbena.RdmaNode;
import io.verbena.RemoteMemory;
import io.verbena.verbs.Access;
import io.verbena.verbs.Threading;

/** Two nodes of this process with a connection, and memory of the second one that the first one may READ. */
final class AsyncPair implements AutoCloseable {
    private final RdmaNode node;
    private final RdmaNode peer;
    private final RdmaConnection connection;
    private final LocalMemory local;
    private final RemoteMemory remote;

    AsyncPair(String device, Threading threading, boolean checks, long size) {
        NodeConfig config = NodeConfig.of(device).withPoller(PollerMode.MANUAL).withThreading(threading);
        node = RdmaNode.open(config);
        try {
            peer = RdmaNode.open(config);
            try {
                connection = RdmaNode.pair(node, peer, ConnectionConfig.DEFAULT.withOwnershipChecks(checks))[0];
                local = node.memory().allocate(size);
                remote = peer.memory().allocate(size).expose(Access.REMOTE_READ).remote();
            } catch (RuntimeException e) {
                peer.close();
                throw e;
            }
        } catch (RuntimeException e) {
            node.close();
            throw e;
        }
    }

    ReadLoop callbacks() {
        return new CallbackReadLoop(node, connection, local, remote);
    }

    ReadLoop joins() {
        return new JoinReadLoop(connection, local, remote);
    }

    @Override
    public void close() {
        try {
            node.close();
        } finally {
            peer.close();
        }
    }
}
