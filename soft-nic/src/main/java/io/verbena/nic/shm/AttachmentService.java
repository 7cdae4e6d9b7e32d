package io.verbena.nic.shm;

import io.verbena.nic.os.OsException;
import io.verbena.nic.os.Report;
import io.verbena.nic.os.UnixSocket;
import io.verbena.verbs.Gid;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The thread by which one NIC serves those attached to it, and watches those that it is attached to. It answers, waits
 * for nobody, and holds no lock while it waits.
 */
final class AttachmentService implements AutoCloseable {
    /** The most users at a time. */
    static final int MAX_GUESTS = 1_024;
    /** The most of those who are about to be told that they are not welcome. */
    private static final int MAX_REFUSED = 64;
    /** How long a user may take to say who it is. */
    static final int HELLO_LIMIT_MS = 2_000;
    /** How often a process shows that it runs. */
    static final int BEAT_MS = 200;

    private static final System.Logger LOG = System.getLogger("io.verbena.nic");
    private static final int FIRST_GUEST = 2;
    private static final byte[] LOOK = {1};
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int STOP_MS = 5_000;
    private static final long BEAT_NS = TimeUnit.MILLISECONDS.toNanos(BEAT_MS);

    private final Gid gid;
    private final int uid;
    private final Exports exports;
    private final UnixSocket listener;
    private final UnixSocket bell;
    private final UnixSocket ringer;
    private final ConcurrentLinkedQueue<Attachment> arrivals = new ConcurrentLinkedQueue<>();
    private final List<Guest> guests = new ArrayList<>();
    private final List<Attachment> watched = new ArrayList<>();
    private final Thread thread;
    private final long mostSilentBeats;
    private long lastBeat = System.nanoTime();
    /** When others were last shown that this process runs; the beats between are not counted. */
    private long lastSign = lastBeat;
    /** Until when nobody is taken in, since there was no descriptor for the last one; 0 for nobody was refused. */
    private long deafUntil;
    private volatile boolean closing;

    /**
     * Starts to listen.
     *
     * @param gid where others find this NIC
     * @param uid the user that both ends must be of
     * @param exports what they may use
     * @throws OsException EADDRINUSE when a NIC of this address is there already
     */
    AttachmentService(Gid gid, int uid, Exports exports) throws OsException {
        this.gid = gid;
        this.uid = uid;
        this.exports = exports;
        mostSilentBeats = exports.patienceMs() / BEAT_MS + 1;
        listener = UnixSocket.listen(address(uid, gid));
        UnixSocket[] ends = pairOrClose();
        bell = ends[0];
        ringer = ends[1];
        thread = new Thread(this::run, "verbena-attach-" + gid.toHex());
        thread.setDaemon(true);
        Report.prepare();
        try {
            thread.start();
        } catch (Error e) {
            List.of(listener, bell, ringer).forEach(UnixSocket::close);
            throw e;
        }
    }

    private UnixSocket[] pairOrClose() throws OsException {
        try {
            return UnixSocket.pair();
        } catch (OsException e) {
            listener.close();
            throw e;
        }
    }

    /** The abstract address of a NIC. */
    static String address(int uid, Gid gid) {
        return "verbena/" + uid + "/" + gid.toHex();
    }

    /**
     * Attaches to another NIC and watches it from now on.
     *
     * @param owner its address
     * @param gone run by this service's thread when it is gone; not when the attachment was closed here
     * @return the attachment; its closing is up to the caller
     * @throws IOException when it is not there, or refuses
     */
    Attachment attach(Gid owner, Consumer<Attachment> gone) throws IOException {
        Attachment attachment = Attachment.open(owner, gid, uid, this::patienceMs, gone);
        arrivals.add(attachment);
        ring();
        return attachment;
    }

    /** How long an answer may take: while this is being closed somebody waits for whoever waits for one. */
    private long patienceMs() {
        return closing ? Math.min(Attachment.HURRIED_MS, exports.patienceMs()) : exports.patienceMs();
    }

    /** Has the thread look at what there is to watch. */
    void ring() {
        try {
            ringer.send(LOOK);
        } catch (OsException e) {
            // It rings already, or the thread has ended.
        }
    }

    // The thread

    private void run() {
        while (!closing) {
            try {
                round();
            } catch (OsException | RuntimeException | Error e) {
                // Without this thread nobody reaches the NIC, and nobody is told: what is done again can be.
                Report.failure(gid, "failed to serve other processes, and goes on", e);
                LockSupport.parkNanos(this, PAUSE_NS);
            }
        }
        listener.close();
        bell.close();
        guests.forEach(Guest::leave);
    }

    private void round() throws OsException {
        for (Attachment arrived = arrivals.peek(); arrived != null; arrived = arrivals.peek()) {
            watched.add(arrived);
            arrivals.poll();
        }
        watched.removeIf(Attachment::isClosed);
        boolean deaf = deafUntil != 0 && deafUntil - System.nanoTime() > 0;
        List<UnixSocket> readers = new ArrayList<>(List.of(deaf ? bell : listener, bell));
        guests.forEach(guest -> readers.add(guest.socket()));
        List<UnixSocket> couriers = exports.couriers();
        List<UnixSocket> ends = new ArrayList<>(watched.stream().map(Attachment::socket).toList());
        ends.addAll(couriers);
        BitSet ready = UnixSocket.awaitAny(readers, ends, nextLimit());
        if (ready.get(1)) {
            bell.receive(0);
        }
        for (int i = 0; i < watched.size(); i++) {
            if (ready.get(readers.size() + i)) {
                watched.get(i).end();
            }
        }
        for (int i = 0; i < couriers.size(); i++) {
            if (ready.get(readers.size() + watched.size() + i)) {
                exports.courierEnded(couriers.get(i));
            }
        }
        serve(ready);
        beatIfDue();
        if (ready.get(0) && !deaf && !closing) {
            welcome();
        }
    }

    /** Milliseconds until a beat, or until somebody has taken too long to say who it is; -1 when there is nobody. */
    private int nextLimit() {
        if (guests.isEmpty() && watched.isEmpty()) {
            return deafUntil == 0 ? -1 : BEAT_MS;
        }
        long now = System.nanoTime();
        long least = guests.stream().filter(Guest::isUnknown).mapToLong(guest -> guest.limit() - now).min()
                .orElse(Long.MAX_VALUE);
        long wait = Math.min(least, lastBeat + BEAT_NS - now);
        return (int) Math.max(0, TimeUnit.NANOSECONDS.toMillis(wait) + 1);
    }

    /** Shows that this process runs, and gives up those that have shown it for too long no more. */
    private void beatIfDue() {
        long now = System.nanoTime();
        if (now - lastBeat < BEAT_NS) {
            return;
        }
        lastBeat = now;
        lastSign = now;
        exports.beat();
        watched.stream().filter(attachment -> attachment.beat() > mostSilentBeats).forEach(Attachment::giveUp);
        List<Guest> silent =
                guests.stream().filter(guest -> !guest.isUnknown() && guest.beat() > mostSilentBeats).toList();
        silent.forEach(Guest::giveUp);
        silent.forEach(Guest::leave);
        guests.removeAll(silent);
    }

    /** Shows that this process runs while the thread has to wait for something; for its calls to {@link Exports}. */
    void showLife() {
        long now = System.nanoTime();
        if (Thread.currentThread() == thread && now - lastSign >= BEAT_NS) {
            lastSign = now;
            exports.beat();
            watched.forEach(Attachment::showLife);
        }
    }

    private void serve(BitSet ready) {
        long now = System.nanoTime();
        int place = FIRST_GUEST;
        List<Guest> leaving = new ArrayList<>();
        for (Guest guest : guests) {
            boolean stays = ready.get(place++) ? guest.serve() : !guest.isUnknown() || guest.limit() - now > 0;
            if (!stays) {
                leaving.add(guest);
            }
        }
        leaving.forEach(Guest::leave);
        guests.removeAll(leaving);
    }

    /** Why somebody is refused once it has said hello; null when it is welcome. */
    private RefusedException refusal(int guestUid) {
        if (guestUid != uid) {
            return new RefusedException(Guest.EACCES,
                    "it belongs to user " + uid + "; only processes of the same user share memory");
        }
        return guests.size() < MAX_GUESTS ? null
                : new RefusedException(Guest.ENOMEM, "it has " + MAX_GUESTS + " users already");
    }

    private void welcome() {
        UnixSocket socket = accept();
        if (socket == null) {
            return;
        }
        boolean taken = false;
        try {
            if (guests.size() < MAX_GUESTS + MAX_REFUSED) {
                long limit = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(HELLO_LIMIT_MS);
                taken = guests.add(new Guest(socket, gid, exports, refusal(socket.peer().uid()), limit));
            }
        } catch (OsException e) {
            LOG.log(System.Logger.Level.DEBUG, "a process that wanted to attach went away", e);
        } finally {
            if (!taken) {
                socket.close();
            }
        }
    }

    /** The next that wants to attach; null for nobody. Without descriptors it is left waiting, and not asked for. */
    private UnixSocket accept() {
        try {
            UnixSocket socket = listener.accept(0);
            deafUntil = 0;
            return socket;
        } catch (OsException e) {
            if (deafUntil == 0) {
                LOG.log(System.Logger.Level.WARNING, "a process can't attach to the NIC at " + gid
                        + " until descriptors are free here; raise ulimit -n", e);
            }
            deafUntil = System.nanoTime() + BEAT_NS | 1;
            return null;
        }
    }

    /** Lets go of everybody; users see their owner gone. */
    @Override
    public void close() {
        closing = true;
        ring();
        try {
            if (thread != Thread.currentThread()) {
                thread.join(STOP_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        listener.close(); // whatever became of the thread, so that a NIC can be opened here again
        ringer.close();
    }
}
