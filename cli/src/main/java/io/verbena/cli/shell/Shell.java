package io.verbena.cli.shell;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Context;
import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The helpers of the shell, imported as plain names. They use the public verbs API only, for any type of queue pair
 * and any device, and are made for exploring: they allocate, and say by exceptions what went wrong.
 */
public final class Shell {
    /** How long {@link #await} waits. */
    private static final long AWAIT_NS = 5_000_000_000L;

    private Shell() {}

    /** Prints what can be called. */
    public static void help() {
        System.out.print(Texts.help());
    }

    /**
     * Prints what there is to know about objects: ends, pairs, queue pairs, completion queues, memory regions,
     * contexts, devices; of others, their text.
     *
     * @param objects what to describe
     */
    public static void show(Object... objects) {
        System.out.print(Portrait.ofAll(objects));
    }

    /**
     * Prints bytes of a region in hexadecimal and as text.
     *
     * @param region whose memory
     * @param offset from its start
     * @param length how many bytes, at most 65536
     */
    public static void hexdump(MemoryRegion region, long offset, long length) {
        hexdump(region.segment(), offset, length);
    }

    /**
     * Prints bytes of an end's memory in hexadecimal and as text.
     *
     * @param end whose memory
     * @param offset from its start
     * @param length how many bytes, at most 65536
     */
    public static void hexdump(End end, long offset, long length) {
        hexdump(end.buffer, offset, length);
    }

    /**
     * Prints bytes of memory in hexadecimal and as text.
     *
     * @param memory which memory
     * @param offset from its start
     * @param length how many bytes, at most 65536
     */
    public static void hexdump(MemorySegment memory, long offset, long length) {
        System.out.print(HexDump.of(memory, offset, length));
    }

    /**
     * Looks once for a completion.
     *
     * @param queue where to look
     * @return a new object, or null when there is none
     * @throws VerbsException when the queue is in error or closed
     */
    public static WorkCompletion poll(CompletionQueue queue) {
        WorkCompletion completion = new WorkCompletion();
        int polled = queue.poll(completion);
        if (polled < 0) {
            throw refusal("completion queue", polled);
        }
        return polled == 0 ? null : completion;
    }

    /**
     * Looks once for a completion of an end.
     *
     * @param end whose completion queue
     * @return as for {@link #poll(CompletionQueue)}
     */
    public static WorkCompletion poll(End end) {
        return poll(end.cq);
    }

    /**
     * Takes all completions that are there now.
     *
     * @param queue where to look
     * @return oldest first of each queue pair's sends and receives; empty when there is none
     * @throws VerbsException when the queue is in error or closed, and nothing is left in it
     */
    public static List<WorkCompletion> pollAll(CompletionQueue queue) {
        List<WorkCompletion> taken = new ArrayList<>();
        WorkCompletion completion = new WorkCompletion();
        int polled;
        while ((polled = queue.poll(completion)) > 0) {
            taken.add(completion);
            completion = new WorkCompletion();
        }
        if (polled < 0 && taken.isEmpty()) {
            throw refusal("completion queue", polled);
        }
        return new Lines<>("completion", taken, WorkCompletion::toString);
    }

    /**
     * Takes all completions of an end that are there now.
     *
     * @param end whose completion queue
     * @return as for {@link #pollAll(CompletionQueue)}
     */
    public static List<WorkCompletion> pollAll(End end) {
        return pollAll(end.cq);
    }

    /**
     * Waits for a completion, at most 5 seconds.
     *
     * @param queue where to look
     * @return a new object
     * @throws VerbsException ETIMEDOUT when none came, and as for {@link #poll(CompletionQueue)}
     */
    public static WorkCompletion await(CompletionQueue queue) {
        long deadline = System.nanoTime() + AWAIT_NS;
        do {
            WorkCompletion completion = poll(queue);
            if (completion != null) {
                return completion;
            }
            Thread.onSpinWait();
        } while (System.nanoTime() - deadline < 0 && !Thread.currentThread().isInterrupted());
        throw new VerbsException(Errno.ETIMEDOUT, "completion queue",
                "no completion came in 5 s; show(queue pair) tells what waits");
    }

    /**
     * Waits for a completion of an end, at most 5 seconds.
     *
     * @param end whose completion queue
     * @return as for {@link #await(CompletionQueue)}
     */
    public static WorkCompletion await(End end) {
        return await(end.cq);
    }

    /**
     * Explains what posting, polling or arming returned.
     *
     * @param status 0 or a negative code of {@link PostStatus}; other numbers are told what they may be
     * @return its name, what was wrong and what to do
     */
    public static String explain(int status) {
        return Explanation.of(status);
    }

    /**
     * Explains what posting with an end returned.
     *
     * @param posted what it returned
     * @return as for {@link #explain(int)}
     */
    public static String explain(Posted posted) {
        return explain(posted.status());
    }

    /**
     * Explains how a work request ended.
     *
     * @param completion what polling gave
     * @return its status, what usually causes it and where to look
     */
    public static String explain(WorkCompletion completion) {
        return Explanation.of(completion);
    }

    /**
     * Fails unless a work request was taken.
     *
     * @param status what posting returned
     * @throws VerbsException for anything but {@link PostStatus#OK}
     */
    public static void check(int status) {
        if (status != PostStatus.OK) {
            throw refusal("status", status);
        }
    }

    /**
     * Fails unless a work request was taken.
     *
     * @param posted what posting returned
     * @throws VerbsException when it was refused
     */
    public static void check(Posted posted) {
        check(posted.status());
    }

    private static VerbsException refusal(String what, int status) {
        Errno errno = PostStatus.errno(status);
        return new VerbsException(errno == null ? Errno.EINVAL : errno, what, PostStatus.describe(status));
    }

    /**
     * Takes the asynchronous events that are there now, and acknowledges them.
     *
     * @param context whose events
     * @return oldest first; empty when there is none
     */
    public static List<AsyncEvent> events(Context context) {
        List<AsyncEvent> taken = new ArrayList<>();
        AsyncEvent event;
        while ((event = context.getAsyncEvent(0)) != null) {
            taken.add(event);
            context.acknowledge(event);
        }
        return new Lines<>("event", taken, Portrait::event);
    }

    /**
     * Connects two queue pairs of the same type, from whatever state they are in: RESET, INIT, RTR, RTS. What was
     * posted before is dropped. UD queue pairs are made ready, each for anybody.
     *
     * @param first one
     * @param second the other one; the same one makes a loop
     */
    public static void connect(QueuePair first, QueuePair second) {
        Wiring.connect(first, second);
    }

    /**
     * Connects two ends in the same way; from then on each is the other's peer.
     *
     * @param first one
     * @param second the other one
     */
    public static void connect(End first, End second) {
        End.connect(first, second);
    }

    /**
     * Makes two new ends and connects them.
     *
     * @param pd the protection domain to make them in
     * @param type their transport service
     * @return the ends; the caller closes them
     */
    public static Pair pair(ProtectionDomain pd, QueuePairType type) {
        String prefix = type.name().toLowerCase(Locale.ROOT);
        End first = new End(prefix + "A", pd, type);
        End second = new End(prefix + "B", pd, type);
        connect(first, second);
        return new Pair(first, second);
    }

    /**
     * Two ends that were connected with each other.
     *
     * @param a one
     * @param b the other one
     */
    public record Pair(End a, End b) implements AutoCloseable {
        @Override
        public String toString() {
            return a + "; " + b;
        }

        /** Closes both ends. */
        @Override
        public void close() {
            a.close();
            b.close();
        }
    }
}
