package io.verbena.cli.shell;

import io.verbena.verbs.Access;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueSnapshot;
import io.verbena.verbs.Context;
import io.verbena.verbs.Device;
import io.verbena.verbs.Errno;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.VerbsException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Describes verbs objects in a few lines, each of which ends with a line feed. */
final class Portrait {
    private static final String NOTHING = "null: there is no object; poll answers it when there is no completion\n";

    private Portrait() {}

    /** What there is to say about an object; its text when it is no verbs object. */
    static String of(Object object) {
        return switch (object) {
            case Shell.Pair pair -> named(pair.a()) + named(pair.b());
            case End end -> of(end.qp) + of(end.cq) + of(end.mr);
            case QueuePair queuePair -> QueuePairPortrait.of(queuePair);
            case CompletionQueue queue -> of(queue);
            case MemoryRegion region -> of(region);
            case MemoryWindow window -> text("%s", window);
            case AddressHandle handle -> text("address handle: %s", handle.vector());
            case SharedReceiveQueue queue -> text("%s, %s", queue,
                    queue.limit() == 0 ? "no limit armed" : "armed for fewer than " + queue.limit());
            case AllocatedMemory memory -> text("%d bytes at %s", memory.segment().byteSize(),
                    address(memory.segment().address()));
            case Context context -> of(context);
            case Device device -> text("device %s of provider %s, node GUID %016x", device.name(), device.provider(),
                    device.nodeGuid());
            case AsyncEvent event -> text("%s", event(event));
            case null -> NOTHING;
            default -> text("%s", object);
        };
    }

    private static String named(End end) {
        return text("end %s", end.name) + of(end).indent(2);
    }

    private static String of(CompletionQueue queue) {
        Optional<CompletionQueueSnapshot> told = ifTold(queue::snapshot);
        String now = told.map(snapshot -> snapshot.waiting() + " waiting, "
                + arming(queue, snapshot) + (snapshot.failed() ? ", IN ERROR after an overflow" : ""))
                .orElse("what it holds is not told by this device");
        return text("completion queue of %d on %s: %s", queue.capacity(), queue.context().device().name(), now);
    }

    private static String arming(CompletionQueue queue, CompletionQueueSnapshot snapshot) {
        if (queue.channel() == null) {
            return "no channel";
        }
        return switch (snapshot.arming()) {
            case NOT_ARMED -> "not armed";
            case SOLICITED_ONLY -> "armed for solicited completions";
            case ANY -> "armed";
        };
    }

    private static String of(MemoryRegion region) {
        return text("memory region of %d bytes at %s  lkey %s  rkey %s", region.length(), address(region.address()),
                key(region.lkey()), key(region.rkey()))
                + text("  allows      %s",
                        region.access() == 0 ? "local reads only" : Access.toString(region.access()));
    }

    private static String of(Context context) {
        StringBuilder lines = new StringBuilder(of(context.device()));
        for (GidEntry entry : context.queryGidTable()) {
            lines.append(text("  port %d      %s, active MTU %d, GID[%d] %s", entry.port(),
                    context.queryPort(entry.port()).state(), context.queryPort(entry.port()).activeMtu().bytes(),
                    entry.index(), entry.gid()));
        }
        String can = context.queryDevice().capabilities().stream().sorted().map(Enum::name)
                .collect(Collectors.joining(" "));
        return lines.append(text("  can         %s", can)).toString();
    }

    /** One line about an asynchronous event. */
    static String event(AsyncEvent event) {
        return switch (event) {
            case AsyncEvent.QueuePairEvent about -> about.kind() + " on " + name(about.queuePair());
            case AsyncEvent.CompletionQueueError about -> "CQ_ERR on " + about.completionQueue();
            case AsyncEvent.SharedReceiveQueueEvent about ->
                    (about.limitReached() ? "SRQ_LIMIT_REACHED on " : "SRQ_ERR on ") + about.sharedReceiveQueue();
            case AsyncEvent.PortEvent about -> about.kind() + " on port " + about.port();
            case AsyncEvent.DeviceFatal about -> "DEVICE_FATAL";
        };
    }

    /** What a queue pair is called in one line. */
    static String name(QueuePair queuePair) {
        return String.format(Locale.ROOT, "%s queue pair 0x%06x", queuePair.type(), queuePair.qpNum());
    }

    /** Asks for what a device may not be able to tell; empty when it is not. */
    static <T> Optional<T> ifTold(Supplier<T> question) {
        try {
            return Optional.of(question.get());
        } catch (VerbsException e) {
            if (e.errno() == Errno.EOPNOTSUPP) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Several descriptions, one after another; null is what {@code show(null)} gives. */
    static String ofAll(Object... objects) {
        if (objects == null) {
            return NOTHING;
        }
        return objects.length == 0 ? "show what? an end, queue pair, completion queue, ..., as in show(context)\n"
                : Arrays.stream(objects).map(Portrait::of).collect(Collectors.joining());
    }

    private static String address(long address) {
        return "0x" + Long.toHexString(address);
    }

    private static String key(int key) {
        return String.format(Locale.ROOT, "0x%08x", key);
    }

    /** One formatted line. */
    static String text(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values) + '\n';
    }
}
