package io.verbena.nic;

import io.verbena.nic.memory.BlockPool;
import io.verbena.nic.shm.Bells;

/** What all completion channels of a NIC that other processes reach share. */
final class Hearing {
    private final Bells bells;
    private final BoardWords armedWords;
    private final BoardWords sleeperWords;
    private int lastEar;

    Hearing(Bells bells, BlockPool pool) {
        this.bells = bells;
        armedWords = new BoardWords(pool);
        sleeperWords = new BoardWords(pool);
    }

    Bells bells() {
        return bells;
    }

    BoardWords armedWords() {
        return armedWords;
    }

    BoardWords sleeperWords() {
        return sleeperWords;
    }

    /** Channels take turns with the words that their waiters watch; under the control lock. */
    int nextEar() {
        lastEar = (lastEar + 1) % Bells.ears();
        return lastEar;
    }
}
