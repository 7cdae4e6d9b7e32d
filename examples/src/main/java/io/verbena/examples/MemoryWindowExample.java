package io.verbena.examples;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.WorkCompletion;

/**
 * Memory lent for one WRITE and taken back: the owner binds a memory window of type 2 to a few bytes of a region, tells
 * the writer the window's key, and invalidates it afterwards. Both are work requests, so that lending costs no call to
 * the control plane. Once the invalidation has completed, the key opens nothing any more.
 */
public final class MemoryWindowExample {
    private static final long WINDOW = 1024;
    private static final int BYTES = 64;

    private MemoryWindowExample() {}

    /**
     * Prints what was written through the window, and what became of a second try.
     *
     * @param args a device, by default {@code soft}
     */
    public static void main(String[] args) {
        System.out.println(run(args.length > 0 ? args[0] : "soft"));
    }

    /**
     * Writes through a window twice: while it is bound and when it is not any more.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @return the text that arrived, and the status of the second WRITE
     */
    static String run(String device) {
        try (ExampleEnd owner = new ExampleEnd(device); ExampleEnd writer = new ExampleEnd(device);
                // The region's own key lets no peer in; it may be lent by windows only.
                MemoryRegion lent = owner.domain.register(
                        owner.memory.segment(), Access.LOCAL_WRITE | Access.MW_BIND);
                MemoryWindow window = owner.domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_2)) {
            owner.connect(writer.describe());
            writer.connect(owner.describe());
            SendRequests request = new SendRequests(1, 1);
            long address = lent.address() + WINDOW;

            // Bind. The owner picks the low 8 bits of the key; here the next ones, so that old keys do not fit again.
            request.add(1, Opcode.BIND_MW, SendFlags.SIGNALED)
                    .bind(window, window.rkey() + 1, lent, address, BYTES, Access.REMOTE_WRITE);
            ExampleEnd.check(owner.qp.postSend(request));
            owner.await();

            // The writer, and nobody else, may now write these bytes under the window's key.
            int rkey = window.rkey();
            WorkCompletion written = write(writer, "through the window", address, rkey);
            if (!written.isSuccess()) {
                throw new IllegalStateException(written.toString());
            }

            // Invalidate: what comes later is refused, and the queue pair that tried goes to ERR.
            request.clear().add(2, Opcode.LOCAL_INV, SendFlags.SIGNALED).invalidate(rkey);
            ExampleEnd.check(owner.qp.postSend(request));
            owner.await();
            WorkCompletion refused = write(writer, "too late", address, rkey);
            return lent.segment().getString(WINDOW) + ", then " + refused.status();
        }
    }

    private static WorkCompletion write(ExampleEnd writer, String text, long address, int rkey) {
        writer.region.segment().setString(0, text);
        ExampleEnd.check(writer.qp.postWrite(3, writer.region.address(), BYTES, writer.region.lkey(), address, rkey,
                SendFlags.SIGNALED));
        return ExampleEnd.next(writer.cq);
    }
}
