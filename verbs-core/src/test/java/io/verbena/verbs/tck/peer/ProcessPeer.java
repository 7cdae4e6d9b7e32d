package io.verbena.verbs.tck.peer;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** Side B in a JVM of its own. One process serves all cases of a test run, each with a station of its own. */
public final class ProcessPeer implements Peer {
    private static final long LIMIT_SECONDS = 60;
    private static final AtomicLong NEXT = new AtomicLong();
    private static Remote shared;

    private final Remote remote;
    private final int station = (int) NEXT.incrementAndGet();

    /** The process, and who waits for its answers. */
    private static final class Remote {
        private final Process process;
        private final DataOutputStream out;
        private final Map<Long, CompletableFuture<PeerFrame.Response>> waiting = new ConcurrentHashMap<>();

        Remote(String device) throws IOException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED",
                    "--enable-native-access=ALL-UNNAMED", "-ea", "-cp", System.getProperty("java.class.path")));
            if (device != null) {
                command.add("-D" + Station.DEVICE_PROPERTY + "=" + device);
            }
            command.add(PeerMain.class.getName());
            process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            out = new DataOutputStream(process.getOutputStream());
            Thread reader = new Thread(this::read, "peer-process");
            reader.setDaemon(true);
            reader.start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        }

        private void read() {
            try (DataInputStream in = new DataInputStream(process.getInputStream())) {
                for (;;) {
                    PeerFrame.Response response = (PeerFrame.Response) PeerFrame.read(in);
                    waiting.remove(response.id()).complete(response);
                }
            } catch (IOException e) {
                waiting.values().forEach(future -> future.completeExceptionally(e));
            }
        }

        Serializable execute(int station, PeerCommand<?> command) {
            long id = NEXT.incrementAndGet();
            CompletableFuture<PeerFrame.Response> future = new CompletableFuture<>();
            waiting.put(id, future);
            try {
                PeerFrame.write(out, new PeerFrame.Request(id, station, command));
                PeerFrame.Response response = future.get(LIMIT_SECONDS, TimeUnit.SECONDS);
                if (response.thrown() instanceof RuntimeException e) {
                    throw e;
                }
                if (response.thrown() instanceof Error e) {
                    throw e;
                }
                return response.answer();
            } catch (IOException | InterruptedException | ExecutionException | TimeoutException e) {
                throw new AssertionError("side B gave no answer to " + command, e);
            }
        }
    }

    private static synchronized Remote remote() {
        try {
            if (shared == null || !shared.process.isAlive()) {
                shared = new Remote(System.getProperty(Station.DEVICE_PROPERTY));
            }
            return shared;
        } catch (IOException e) {
            throw new AssertionError("side B's process does not start", e);
        }
    }

    /** Starts the process if it is not there. */
    public ProcessPeer() {
        remote = remote();
    }

    /**
     * Starts a process of its own.
     *
     * @param device the device it opens
     * @throws IOException when it does not start
     */
    public ProcessPeer(String device) throws IOException {
        remote = new Remote(device);
    }

    /**
     * The process, to end or stop it.
     *
     * @return the process behind side B
     */
    public Process process() {
        return remote.process;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <R extends Serializable> R execute(PeerCommand<R> command) {
        return (R) remote.execute(station, command);
    }

    @Override
    public void close() {
        remote.execute(station, null);
    }
}
