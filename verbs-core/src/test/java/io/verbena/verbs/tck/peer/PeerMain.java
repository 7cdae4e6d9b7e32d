package io.verbena.verbs.tck.peer;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The main program of a process that is side B: carries out commands from standard input until that ends. */
public final class PeerMain {
    private static final Map<Integer, PeerExecutor> STATIONS = new ConcurrentHashMap<>();

    private PeerMain() {}

    /**
     * Runs until standard input ends.
     *
     * @param args none
     * @throws IOException when the other process can't be understood
     */
    public static void main(String[] args) throws IOException {
        DataOutputStream out = new DataOutputStream(System.out);
        System.setOut(System.err);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (DataInputStream in = new DataInputStream(System.in)) {
            for (;;) {
                PeerFrame.Request request = (PeerFrame.Request) PeerFrame.read(in);
                threads.execute(() -> answer(request, out));
            }
        } catch (EOFException e) {
            System.exit(0);
        }
    }

    private static void answer(PeerFrame.Request request, DataOutputStream out) {
        PeerFrame.Response response;
        try {
            response = new PeerFrame.Response(request.id(), carryOut(request), null);
        } catch (RuntimeException | AssertionError e) {
            response = new PeerFrame.Response(request.id(), null, e);
        }
        try {
            PeerFrame.write(out, response);
        } catch (IOException e) {
            System.exit(1);
        }
    }

    private static Serializable carryOut(PeerFrame.Request request) {
        if (request.command() != null) {
            return STATIONS.computeIfAbsent(request.station(), number -> new PeerExecutor()).execute(request.command());
        }
        PeerExecutor closing = STATIONS.remove(request.station());
        if (closing != null) {
            closing.close();
        }
        return PeerCommand.Done.DONE;
    }
}
