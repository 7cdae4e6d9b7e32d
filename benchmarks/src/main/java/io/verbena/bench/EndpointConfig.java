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
 * @param layout how they share completion queues
 * @param events whether the completion queues report to a channel
 * @param threading mode of queue pairs and completion queues
 */
public record EndpointConfig(
        String device, long bufferBytes, int qps, QueuePairCapabilities capabilities, CqLayout layout, boolean events,
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
        return new EndpointConfig(device, bufferBytes, 1, QueuePairCapabilities.ofDepth(depth), CqLayout.TWO, false,
                Threading.SINGLE);
    }

    /**
     * The same with another threading mode.
     *
     * @param newThreading mode of queue pairs and completion queues
     * @return a changed copy
     */
    public EndpointConfig withThreading(Threading newThreading) {
        return new EndpointConfig(device, bufferBytes, qps, capabilities, layout, events, newThreading);
    }

    /**
     * The same with another number of queue pairs.
     *
     * @param newQps queue pairs
     * @param newLayout how they share completion queues
     * @return a changed copy
     */
    public EndpointConfig withQps(int newQps, CqLayout newLayout) {
        return new EndpointConfig(device, bufferBytes, newQps, capabilities, newLayout, events, threading);
    }
}
