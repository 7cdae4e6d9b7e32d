package io.verbena;

import io.verbena.async.op.Operation;
import io.verbena.async.op.Operations;
import java.util.function.Consumer;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/** Operations that wait in line for a place of the send queue. Anybody joins; the driver takes out. */
final class WaitingLine {
    private final Operations places;
    private final ManyToOneConcurrentArrayQueue<Operation> line;
    /** The first in line, taken out of the queue but not posted yet; the driver's. */
    private Operation first;
    private volatile boolean firstHeld;

    WaitingLine(int length, boolean alone) {
        places = new Operations(Operation.WAITING_TABLE, length, alone);
        line = new ManyToOneConcurrentArrayQueue<>(length);
    }

    boolean isEmpty() {
        // In this order: the first is noted before it leaves the queue, so one of the two tells of it.
        return line.isEmpty() && !firstHeld;
    }

    /** A place in line to be filled in; null when the line is full. */
    Operation reserve() {
        return places.reserve();
    }

    /** Joins the line. There is room: it is as long as there are places. */
    void join(Operation place) {
        place.posted(place.generation());
        line.offer(place);
    }

    /** The first in line, which stays first until {@link #gone}; null when there is none. The driver's. */
    Operation first() {
        if (first == null) {
            // Before it leaves the queue, so that the line never seems empty to those who would overtake it.
            firstHeld = true;
            first = line.poll();
            firstHeld = first != null;
        }
        return first;
    }

    /** The first in line is posted or given up, and is freed. The driver's. */
    void gone() {
        Operation place = first;
        first = null;
        place.free();
        firstHeld = false;
    }

    long expire(long now, Consumer<Operation> overdue) {
        return places.expire(now, overdue);
    }
}
