package io.verbena.verbs.tck;

import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendRequests;
import java.util.ArrayList;
import java.util.List;

/** The memory windows of a {@link RandomWorld}, and random requests that bind, unbind and flush. */
final class RandomWindows implements AutoCloseable {
    private static final int MOST = 6;

    private final RandomArguments any;
    private final List<MemoryWindow> windows = new ArrayList<>();
    private final List<MemoryWindow> closed = new ArrayList<>();

    RandomWindows(RandomArguments any) {
        this.any = any;
    }

    /** Makes, binds or closes a window; a code of PostStatus. */
    int call(ProtectionDomain domain, QueuePair qp, Buffer local) {
        switch (any.below(4)) {
            case 0 -> {
                if (windows.size() < MOST) {
                    windows.add(domain.allocateMemoryWindow(any.pick(MemoryWindow.Type.values())));
                }
            }
            case 1 -> {
                if (!windows.isEmpty() && any.oneIn(3)) {
                    MemoryWindow window = windows.remove(any.below(windows.size()));
                    window.close();
                    closed.add(window);
                }
            }
            default -> {
                MemoryWindow window = pick();
                if (window != null) {
                    boolean none = any.oneIn(4);
                    return window.bind(qp, 3, none ? null : local.region(), none ? 0 : address(local),
                            none ? 0 : any.length(local.region().length()), access(), any.flags());
                }
            }
        }
        return PostStatus.OK;
    }

    private MemoryWindow pick() {
        return any.pick(any.oneIn(20) ? closed : windows);
    }

    private long address(Buffer local) {
        return any.address(local.address(), local.region().length());
    }

    private int access() {
        int sensible = Access.REMOTE_READ | Access.REMOTE_WRITE | (any.oneIn(3) ? Access.ZERO_BASED : 0);
        return any.oneIn(8) ? any.access() : sensible;
    }

    /** Perhaps adds a request to a list that may be full. */
    void mayAdd(SendRequests list, Buffer local) {
        MemoryWindow window = pick();
        if (window == null || list.size() > 5) {
            return;
        }
        int key = any.key(window.rkey());
        long length = any.length(local.region().length());
        switch (any.below(5)) {
            case 0 -> list.add(21, Opcode.BIND_MW, any.flags())
                    .bind(window, key, any.oneIn(20) ? null : local.region(), address(local), length, access());
            case 1 -> list.add(22, Opcode.LOCAL_INV, any.flags()).invalidate(key);
            case 2 -> list.add(23, Opcode.SEND_WITH_INV, any.flags()).invalidate(key);
            case 3 -> list.add(24, Opcode.FLUSH, any.flags()).remote(address(local), any.key(local.region().rkey()))
                    .flush(length, any.number(4), any.number(2));
            default -> list.add(25, Opcode.ATOMIC_WRITE, any.flags()).sge(address(local), 8, any.key(local.lkey()))
                    .remote(address(local), any.oneIn(2) ? key : local.region().rkey());
        }
    }

    @Override
    public void close() {
        windows.forEach(MemoryWindow::close);
    }
}
