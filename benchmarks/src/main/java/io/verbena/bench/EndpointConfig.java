package io.verbena.bench;

import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.Threading;

/**
 * What an {@link Endpoint} is made from.
 *
 * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
 * @param bufferBytes registered memory
 * @param qps queue pairs
 * @param capabilities sizes of each queue pair
 * @param sharing what they have in common
 * @param events whether the completion queues report to a channel
 * @param threading mode of queue pairs and completion queues
 */
public record EndpointConfig(
        String device, long bufferBytes, int qps, QueuePairCapabilities capabilities, Sharing sharing, boolean events,
        Threading threading) {
    /**
     * One queue pair with two completion queues, spinning, single-threaded.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @param bufferBytes registered memory
     * @param depth work requests in each direction
     * @return the configuration
     */
    public static EndpointConfig simple(String device, long bufferBytes, int depth) {
        return new EndpointConfig(device, bufferBytes, 1, QueuePairCapabilities.ofDepth(depth),
                Sharing.of(CqLayout.TWO), false,
                Threading.SINGLE);
    }

    /**
     * The same with another threading mode.
     *
     * @param newThreading mode of queue pairs and completion queues
     * @return a changed copy
     */
    public EndpointConfig withThreading(Threading newThreading) {
        return new EndpointConfig(device, bufferBytes, qps, capabilities, sharing, events, newThreading);
    }

    /**
     * The same with more or less memory.
     *
     * @param newBufferBytes registered memory
     * @return a changed copy
     */
    public EndpointConfig withBuffer(long newBufferBytes) {
        return new EndpointConfig(device, newBufferBytes, qps, capabilities, sharing, events, threading);
    }

    /**
     * The same with another number of queue pairs.
     *
     * @param newQps queue pairs
     * @param newLayout how they share completion queues
     * @return a changed copy
     */
    public EndpointConfig withQps(int newQps, CqLayout newLayout) {
        return new EndpointConfig(device, bufferBytes, newQps, capabilities,
                new Sharing(newLayout, sharing.transport()), events, threading);
    }

    /**
     * How queue pairs share completion queues.
     *
     * @return never null
     */
    public CqLayout layout() {
        return sharing.layout();
    }
}
