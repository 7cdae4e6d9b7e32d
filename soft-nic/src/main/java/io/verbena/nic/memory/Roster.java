package io.verbena.nic.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Whose data calls a control call has to wait for: not everybody who exists, but who was active lately, so that taking
 * something away costs the same however many queue pairs are idle.
 *
 * <p>The protocol: a data call that finds the {@link Generation} changed enlists its {@link Member}, inside its guard,
 * and only then reads what control calls may revoke. Who is on the roster stays on it until one control call has seen
 * the member's guards where the control call before had left them; and is put back when, after one more
 * {@link Fences#heavy()}, they have moved after all. So a data call either finds itself off the roster and enlists, or
 * is seen.
 */
public final class Roster {
    private static final VarHandle ARRIVALS;

    private volatile Member arrivals;
    private Member[] members = new Member[16];
    private int size;

    static {
        try {
            ARRIVALS = MethodHandles.lookup().findVarHandle(Roster.class, "arrivals", Member.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Something whose data calls use what control calls may revoke. */
    public abstract static class Member {
        private static final VarHandle ENLISTED;

        private volatile boolean enlisted;
        private Member next;
        private int place;
        private long activityBefore;

        static {
            try {
                ENLISTED = MethodHandles.lookup().findVarHandle(Member.class, "enlisted", boolean.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        /** Starts off the roster. */
        protected Member() {}

        /**
         * The sum of its guards' words, read with acquire semantics.
         *
         * @return another value after every data call
         */
        protected abstract long activity();

        /** Waits until the data calls in flight now have ended; after {@link Fences#heavy()}. */
        protected abstract void awaitQuiescent();

        private boolean enlist() {
            return !enlisted && ENLISTED.compareAndSet(this, false, true);
        }
    }

    /**
     * Puts a member on the roster, if it is not there; by a data call, inside its guard.
     *
     * @param member whose data call it is
     */
    public void enlist(Member member) {
        if (member.enlist()) {
            Member top;
            do {
                top = arrivals;
                member.next = top;
            } while (!ARRIVALS.compareAndSet(this, top, member));
        }
    }

    // Control calls; the caller serialises them

    /** Waits for the data calls in flight of everybody on the roster; after a change and {@link Fences#heavy()}. */
    public void awaitQuiescent() {
        accept();
        for (int i = 0; i < size; i++) {
            members[i].awaitQuiescent();
        }
        dismissIdle();
    }

    /**
     * Takes a member off the roster.
     *
     * @param member who will make no more data calls
     */
    public void remove(Member member) {
        accept();
        if (member.enlisted) {
            members[member.place] = members[--size];
            members[member.place].place = member.place;
            members[size] = null;
            member.enlisted = false;
        }
    }

    /**
     * How many are on the roster.
     *
     * @return 0 or more
     */
    public int size() {
        accept();
        return size;
    }

    private void accept() {
        for (Member member = (Member) ARRIVALS.getAndSet(this, null); member != null; ) {
            Member after = member.next;
            member.next = null;
            add(member);
            member = after;
        }
    }

    private void add(Member member) {
        if (size == members.length) {
            members = Arrays.copyOf(members, 2 * size);
        }
        member.place = size;
        members[size++] = member;
    }

    private void dismissIdle() {
        int kept = 0;
        for (int i = 0; i < size; i++) {
            Member member = members[i];
            long now = member.activity();
            if (now == member.activityBefore) {
                member.enlisted = false;
            } else {
                member.activityBefore = now;
                members[i] = members[kept];
                members[kept++] = member;
            }
        }
        if (kept < size) {
            // Whoever began a data call before this barrier shows it below; whoever begins one after it enlists.
            Fences.heavy();
            settle(kept);
        }
    }

    private void settle(int kept) {
        int all = size;
        size = kept;
        for (int i = 0; i < kept; i++) {
            members[i].place = i;
        }
        for (int i = kept; i < all; i++) {
            Member member = members[i];
            members[i] = null;
            if (member.activity() != member.activityBefore && member.enlist()) {
                add(member);
            }
        }
    }
}
