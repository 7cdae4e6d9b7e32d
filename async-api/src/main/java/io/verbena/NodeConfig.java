package io.verbena;

import io.verbena.verbs.Threading;
import java.util.concurrent.Executor;

/**
 * What a node is made from. Immutable; begin with {@link #of(String)}.
 *
 * @param device as {@link io.verbena.verbs.Devices#open} takes it, for example {@code soft?link=udp&bind=10.0.0.1}
 * @param port port and address
 * @param pool the memory pool
 * @param poller how completions are waited for
 * @param executor where dependents of futures run, where connections are handed over, and where requests of peers about
 *     memory are worked off: while all its threads are blocked none of that happens; null for a virtual thread for each
 *     task, which may block
 * @param inlineDependents whether dependents of futures run on the thread that drives completions, which is fastest
 *     and stalls every other completion if they block
 * @param threading SINGLE when one thread at a time uses the node and everything of it: faster; it goes with {@link
 *     PollerMode#MANUAL} only
 */
public record NodeConfig(
        String device, PortConfig port, PoolConfig pool, PollerMode poller, Executor executor, boolean
        inlineDependents, Threading threading) {
    /** Usual values. */
    public static final NodeConfig DEFAULT = new NodeConfig(
            "soft", PortConfig.DEFAULT, PoolConfig.DEFAULT, PollerMode.ADAPTIVE, null, false, Threading.SAFE);

    /** Checks the values. */
    public NodeConfig {
        Checks.present("device", device);
        Checks.present("port", port);
        Checks.present("pool", pool);
        Checks.present("poller", poller);
        Checks.present("threading", threading);
        if (threading == Threading.SINGLE && poller != PollerMode.MANUAL) {
            throw new IllegalArgumentException("threading is SINGLE and poller is " + poller
                    + "; allowed: MANUAL, since the poller's thread would be a second one");
        }
    }

    /**
     * The same with another value of device.
     *
     * @param newDevice as {@link io.verbena.verbs.Devices#open} takes it, for example {@code
     *     soft?link=udp&bind=10.0.0.1}
     * @return a changed copy
     */
    public NodeConfig withDevice(String newDevice) {
        return new NodeConfig(newDevice, port, pool, poller, executor, inlineDependents, threading);
    }

    /**
     * The same with another value of port.
     *
     * @param newPort port and address
     * @return a changed copy
     */
    public NodeConfig withPort(PortConfig newPort) {
        return new NodeConfig(device, newPort, pool, poller, executor, inlineDependents, threading);
    }

    /**
     * The same with another value of pool.
     *
     * @param newPool the memory pool
     * @return a changed copy
     */
    public NodeConfig withPool(PoolConfig newPool) {
        return new NodeConfig(device, port, newPool, poller, executor, inlineDependents, threading);
    }

    /**
     * The same with another value of poller.
     *
     * @param newPoller how completions are waited for
     * @return a changed copy
     */
    public NodeConfig withPoller(PollerMode newPoller) {
        return new NodeConfig(device, port, pool, newPoller, executor, inlineDependents, threading);
    }

    /**
     * The same with another value of executor.
     *
     * @param newExecutor where dependents of futures run; null for a virtual thread for each task
     * @return a changed copy
     */
    public NodeConfig withExecutor(Executor newExecutor) {
        return new NodeConfig(device, port, pool, poller, newExecutor, inlineDependents, threading);
    }

    /**
     * The same with another value of inlineDependents.
     *
     * @param newInlineDependents whether dependents of futures run on the thread that drives completions, which is
     *     fastest and stalls every other completion if they block
     * @return a changed copy
     */
    public NodeConfig withInlineDependents(boolean newInlineDependents) {
        return new NodeConfig(device, port, pool, poller, executor, newInlineDependents, threading);
    }

    /**
     * The same with another value of threading.
     *
     * @param newThreading SINGLE when one thread at a time uses the node and everything of it: faster; it goes with
     *     {@link PollerMode#MANUAL} only
     * @return a changed copy
     */
    public NodeConfig withThreading(Threading newThreading) {
        return new NodeConfig(device, port, pool, poller, executor, inlineDependents, newThreading);
    }

    /**
     * Usual values for a device.
     *
     * @param device as {@link io.verbena.verbs.Devices#open} takes it
     * @return the configuration
     */
    public static NodeConfig of(String device) {
        return DEFAULT.withDevice(device);
    }
}
