package io.verbena.nic;

import io.verbena.nic.os.MemoryFile;
import io.verbena.verbs.Threading;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * Measures round trips of messages that both processes wait for by events, and of a bare futex hand-over between the
 * same two threads, in turns. Start it pinned to one core, it starts the other process pinned to another:
 * {@code taskset -c 0 java ... io.verbena.nic.EventCost soft7?link=shm&wait=sleep SINGLE 10 20000 1}.
 */
final class EventCost {
    private EventCost() {}

    /** A series of round trips. */
    private interface Trip {
        void run(int number);
    }

    /** Runs rounds and prints one JSON object for each and a summary. */
    public static void main(String[] arguments) throws IOException {
        String device = arguments[0];
        Threading threading = Threading.valueOf(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        int count = Integer.parseInt(arguments[3]);
        List<String> prefix = List.of("taskset", "-c", arguments[4]);
        double[] ratios = new double[rounds];
        double[] tails = new double[rounds];
        try (EventSide side = new EventSide(device, threading, 1, false);
                EventEcho echo = new EventEcho(side, device, threading, false, prefix);
                Arena arena = Arena.ofShared()) {
            for (int round = -1; round < rounds; round++) {
                long[] bare = bare(echo, count, arena);
                echo.echo(count);
                long[] events = measure(count, number -> side.roundTrip(0));
                String waits = echo.expect("done");
                if (round >= 0) {
                    ratios[round] = (double) at(events, 0.5) / at(bare, 0.5);
                    tails[round] = (double) at(events, 0.99) / at(bare, 0.99);
                    System.out.printf("{\"round\":%d,\"bare\":%s,\"event\":%s,\"ratio\":%.2f,\"waits\":%s}%n",
                            round, describe(bare), describe(events), ratios[round], waits);
                }
            }
        }
        Arrays.sort(ratios);
        Arrays.sort(tails);
        System.out.printf("{\"device\":\"%s\",\"threading\":\"%s\",\"medianRatioP50\":%.2f,\"medianRatioP99\":%.2f}%n",
                device, threading, ratios[rounds / 2], tails[rounds / 2]);
    }

    private static long[] bare(EventEcho echo, int count, Arena arena) throws IOException {
        try (MemoryFile file = MemoryFile.create("verbena-bare", 4096)) {
            MemorySegment memory = file.map(true, arena);
            echo.pong(count, file.descriptor());
            BareFutex futex = new BareFutex(memory);
            long[] took = measure(count, futex::ping);
            echo.expect("done");
            return took;
        }
    }

    private static long[] measure(int count, Trip trip) {
        long[] took = new long[count];
        long before = System.nanoTime();
        for (int i = 1; i <= count; i++) {
            trip.run(i);
            long now = System.nanoTime();
            took[i - 1] = now - before;
            before = now;
        }
        Arrays.sort(took);
        return took;
    }

    private static long at(long[] sorted, double part) {
        return sorted[(int) (part * (sorted.length - 1))];
    }

    private static String describe(long[] sorted) {
        return "{\"p50\":" + at(sorted, 0.5) + ",\"p99\":" + at(sorted, 0.99) + ",\"p999\":" + at(sorted, 0.999) + "}";
    }
}
