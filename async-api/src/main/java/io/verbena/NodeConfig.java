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
 * @param delivery on which threads the application is told of what has completed
 * @param threading SINGLE when one thread at a time uses the node and everything of it: faster; it goes with {@link
 *     PollerMode#MANUAL} only
 */
public record NodeConfig(
        String device, PortConfig port, PoolConfig pool, PollerMode poller, DeliveryConfig delivery, Threading
        threading) {
    /** Usual values. */
    public static final NodeConfig DEFAULT = new NodeConfig(
            "soft", PortConfig.DEFAULT, PoolConfig.DEFAULT, PollerMode.ADAPTIVE, DeliveryConfig.DEFAULT,
            Threading.SAFE);

    /** Checks the values. */
    public NodeConfig {
        Checks.present("device", device);
        Checks.present("port", port);
        Checks.present("pool", pool);
        Checks.present("poller", poller);
        Checks.present("delivery", delivery);
        Checks.present("threading", threading);
        if (threading == Threading.SINGLE && delivery.workers() > 0) {
            throw new IllegalArgumentException("threading is SINGLE and delivery.workers is " + delivery.workers()
                    + "; allowed: 0, since workers use the node besides its thread");
        }
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
        return new NodeConfig(newDevice, port, pool, poller, delivery, threading);
    }

    /**
     * The same with another value of port.
     *
     * @param newPort port and address
     * @return a changed copy
     */
    public NodeConfig withPort(PortConfig newPort) {
        return new NodeConfig(device, newPort, pool, poller, delivery, threading);
    }

    /**
     * The same with another value of pool.
     *
     * @param newPool the memory pool
     * @return a changed copy
     */
    public NodeConfig withPool(PoolConfig newPool) {
        return new NodeConfig(device, port, newPool, poller, delivery, threading);
    }

    /**
     * The same with another value of poller.
     *
     * @param newPoller how completions are waited for
     * @return a changed copy
     */
    public NodeConfig withPoller(PollerMode newPoller) {
        return new NodeConfig(device, port, pool, newPoller, delivery, threading);
    }

    /**
     * The same with another value of delivery.
     *
     * @param newDelivery on which threads the application is told of what has completed
     * @return a changed copy
     */
    public NodeConfig withDelivery(DeliveryConfig newDelivery) {
        return new NodeConfig(device, port, pool, poller, newDelivery, threading);
    }

    /**
     * The same with another executor for dependents; see {@link DeliveryConfig#executor()}.
     *
     * @param newExecutor where dependents of futures run; null for a virtual thread for each task
     * @return a changed copy
     */
    public NodeConfig withExecutor(Executor newExecutor) {
        return withDelivery(delivery.withExecutor(newExecutor));
    }

    /**
     * The same with dependents inline or not; see {@link DeliveryConfig#inlineDependents()}.
     *
     * @param newInlineDependents whether dependents of futures run on the thread that completes the future
     * @return a changed copy
     */
    public NodeConfig withInlineDependents(boolean newInlineDependents) {
        return withDelivery(delivery.withInlineDependents(newInlineDependents));
    }

    /**
     * The same with another number of workers; see {@link DeliveryConfig#workers()}.
     *
     * @param newWorkers how many threads callbacks, messages and results are handed to, 0 to 64
     * @return a changed copy
     */
    public NodeConfig withWorkers(int newWorkers) {
        return withDelivery(delivery.withWorkers(newWorkers));
    }

    /**
     * The same with another value of threading.
     *
     * @param newThreading SINGLE when one thread at a time uses the node and everything of it: faster; it goes with
     *     {@link PollerMode#MANUAL} only
     * @return a changed copy
     */
    public NodeConfig withThreading(Threading newThreading) {
        return new NodeConfig(device, port, pool, poller, delivery, newThreading);
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
