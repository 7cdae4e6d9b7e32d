package io.verbena;

import java.util.concurrent.Executor;

/**
 * On which threads a node's application is told of what has completed. Immutable.
 *
 * @param executor where dependents of futures run, where connections are handed over, and where requests of peers about
 *     memory are worked off: while all its threads are blocked none of that happens; null for a virtual thread for each
 *     task, which may block
 * @param inlineDependents whether dependents of futures run on the thread that completes the future: the one that
 *     drives completions, whose every other completion they stall if they block, or a worker
 * @param workers how many threads callbacks, messages and results of operations are handed to, 0 to 64; 0 for none: the
 *     thread that drives calls back by itself, which is fastest. Each connection belongs to one worker, so what it is
 *     told of comes in order, and one that blocks there stalls connections of the same worker only. As many results as
 *     {@link QueueConfig#sends()} that nobody has been told of are back pressure
 */
public record DeliveryConfig(Executor executor, boolean inlineDependents, int workers) {
    /** A virtual thread for each dependent, and no workers. */
    public static final DeliveryConfig DEFAULT = new DeliveryConfig(null, false, 0);

    /** Checks the values. */
    public DeliveryConfig {
        Checks.range("workers", workers, 0, 64);
    }

    /**
     * The same with another value of executor.
     *
     * @param newExecutor where dependents of futures run; null for a virtual thread for each task
     * @return a changed copy
     */
    public DeliveryConfig withExecutor(Executor newExecutor) {
        return new DeliveryConfig(newExecutor, inlineDependents, workers);
    }

    /**
     * The same with another value of inlineDependents.
     *
     * @param newInlineDependents whether dependents of futures run on the thread that completes the future
     * @return a changed copy
     */
    public DeliveryConfig withInlineDependents(boolean newInlineDependents) {
        return new DeliveryConfig(executor, newInlineDependents, workers);
    }

    /**
     * The same with another value of workers.
     *
     * @param newWorkers how many threads callbacks, messages and results of operations are handed to, 0 to 64
     * @return a changed copy
     */
    public DeliveryConfig withWorkers(int newWorkers) {
        return new DeliveryConfig(executor, inlineDependents, newWorkers);
    }
}
