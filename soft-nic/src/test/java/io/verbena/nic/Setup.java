package io.verbena.nic;

import io.verbena.verbs.Threading;

/**
 * How two ends are made.
 *
 * @param deviceA what the first end opens
 * @param deviceB what the second end opens
 * @param threading of queue pairs and completion queues
 * @param depth sends and receives of a queue pair
 * @param cqe completions of each completion queue
 * @param events whether the completion queues have a channel
 * @param rnrRetry retries when the receiver is not ready, 7 for without end
 */
record Setup(
        String deviceA, String deviceB, Threading threading, int depth, int cqe, boolean events, int rnrRetry) {
    static Setup of(Threading threading, int depth) {
        return new Setup("soft", "soft", threading, depth, 2 * depth, false, 7);
    }

    Setup withDevices(String newA, String newB) {
        return new Setup(newA, newB, threading, depth, cqe, events, rnrRetry);
    }

    Setup withCqe(int newCqe) {
        return new Setup(deviceA, deviceB, threading, depth, newCqe, events, rnrRetry);
    }

    Setup withEvents() {
        return new Setup(deviceA, deviceB, threading, depth, cqe, true, rnrRetry);
    }

    Setup withRnrRetry(int newRetry) {
        return new Setup(deviceA, deviceB, threading, depth, cqe, events, newRetry);
    }
}
