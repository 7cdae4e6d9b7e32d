package io.verbena.nic.shm;

import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import io.verbena.nic.os.UnixSocket;
import io.verbena.nic.ring.ReceiveLane;
import io.verbena.verbs.Gid;
import java.util.List;

/**
 * What a NIC lets others use. Called by the thread of its {@link AttachmentService}, one call at a time; memory files
 * returned stay the NIC's.
 */
interface Exports {
    /** The board. */
    MemoryFile board();

    /** Shows that this process runs; called {@link AttachmentService#BEAT_MS} after the last time. */
    void beat();

    /** How long a process may give no sign of life, or no answer. */
    long patienceMs();

    /** Takes in a process that has connected. */
    Borrower borrower(UnixSocket socket) throws OsException;

    /** Sockets that are watched too. */
    List<UnixSocket> couriers();

    /** The other end of one of them is gone. */
    void courierEnded(UnixSocket courier);

    /** Where users ring. */
    Bells bells();

    /** A queue pair of another process that is connected to one of the NIC's. */
    interface Connection {
        /**
         * What its user must know.
         *
         * @param slot number of the connection in the user's bell
         */
        Message.QueuePairOpened description(int slot);

        /** Where its user produces. */
        ReceiveLane lane();

        /** Where its user writes. */
        MemoryFile inbox();

        /**
         * Something happens to the queue pair.
         *
         * @param kind ordinal of the QueuePairEvent.Kind to report when a request broke it, -1 for none; COMM_EST when
         *     the first message has arrived
         * @throws RefusedException when there is no such kind
         */
        void notice(int kind) throws RefusedException;

        /**
         * Takes memory for requests that are to be executed here, in the place of what was taken before.
         *
         * @param memory whose size can't be changed; the caller closes it
         * @throws OsException when there is no room to map it
         */
        void room(MemoryFile memory) throws OsException;

        /** What its user asks for can't be done: it is over, and its user finds that out. */
        void fail();

        /** There is such a request; waits for nobody. */
        void asked();

        /**
         * Does something while the connection can't end.
         *
         * @return false when it has ended
         */
        boolean whileOpen(Action action) throws OsException;

        /**
         * It is no longer used.
         *
         * @param gone whether its user's process has ended
         */
        void close(boolean gone);
    }

    /**
     * Opens the receive side of a queue pair to the peer that it is connected to.
     *
     * @param borrower the process that asks
     * @param user its NIC
     * @param userQpNum its queue pair
     * @param qpNum the own queue pair
     * @return the connection
     * @throws RefusedException when the queue pair is not there or is connected to another one
     */
    Connection openQueuePair(Borrower borrower, Gid user, int userQpNum, int qpNum) throws RefusedException;

    /**
     * Opens the memory behind a key.
     *
     * @param borrower the process that asks
     * @param key a local or remote key
     * @param lending what is done with it, while it can't go away
     * @throws RefusedException when there is no such key, or its memory can't be handed over
     */
    void openRegion(Borrower borrower, int key, Lending lending) throws RefusedException, OsException;

    /** What is done with memory while it can't go away. */
    interface Lending {
        /** Hands it over; waits for nobody. */
        void run(Neighbourhood.Share share) throws OsException;
    }

    /** What is done while something can't end. */
    interface Action {
        /** Does it; waits for nobody. */
        void run() throws OsException;
    }

    /**
     * A datagram for the NIC or for a group has come.
     *
     * @param datagram what it says and holds; nothing of it is believed
     */
    void datagram(Message.Datagram datagram);

    /**
     * A NIC takes datagrams of groups from now on.
     *
     * @param user its address
     */
    void joined(Gid user);
}
