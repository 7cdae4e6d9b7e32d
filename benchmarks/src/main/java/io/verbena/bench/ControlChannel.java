package io.verbena.bench;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The TCP connection by which the two processes of a test agree and keep in step: lines of text, read by a thread of
 * its own, so that the end of the other process is noticed whatever this one is doing. Nothing goes through it while
 * something is measured.
 */
final class ControlChannel implements AutoCloseable {
    /** How long an answer may take that needs no measuring. */
    static final long ANSWER_MS = 30_000;

    private static final String FAILED = "FAILED ";
    private static final String DONE = "DONE";
    private static final int LONGEST_LINE = 1 << 22;
    private static final String END = "";
    private static final long EXPLAIN_MS = 1_000;

    private final Socket socket;
    private final String other;
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Thread reader;
    private StopFlag running;
    private String end;
    private boolean closed;

    /**
     * Takes over a connection.
     *
     * @param socket connected
     * @param other what the other process is, for messages: {@code server} or {@code client}
     */
    ControlChannel(Socket socket, String other) throws IOException {
        this.socket = socket;
        this.other = other;
        socket.setTcpNoDelay(true);
        InputStream in = new BufferedInputStream(socket.getInputStream());
        reader = new Thread(() -> read(in), "perf-control");
        reader.setDaemon(true);
        reader.start();
    }

    /** The thread that reads, whose allocations are no part of a test. */
    Thread reader() {
        return reader;
    }

    /** What the other process is. */
    String other() {
        return other;
    }

    /** The flag to raise when the other process fails or ends from now on. */
    synchronized void watch(StopFlag stop) {
        running = stop;
        if (end != null && stop != null) {
            stop.raise(new PerfException(end));
        }
    }

    private void read(InputStream in) {
        String why = "the " + other + " process ended in the middle of the test";
        try {
            for (String line = line(in); line != null; line = line(in)) {
                if (line.startsWith(FAILED)) {
                    why = "the " + other + ": " + line.substring(FAILED.length());
                    break;
                }
                lines.add(line);
            }
        } catch (IOException e) {
            if (e instanceof LineTooLong) {
                why = "the " + other + " sent a line longer than " + LONGEST_LINE + " bytes";
            }
        }
        ended(why);
    }

    /** The other side sent what no line is. */
    private static final class LineTooLong extends IOException {
        private static final long serialVersionUID = 1L;
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                return null;
            }
            if (bytes.size() == LONGEST_LINE) {
                throw new LineTooLong();
            }
            bytes.write(b);
        }
        String line = bytes.toString(StandardCharsets.UTF_8).strip();
        return line.isEmpty() ? "?" : line;
    }

    private synchronized void ended(String why) {
        if (end == null) {
            end = why;
        }
        if (running != null && !closed) {
            running.raise(new PerfException(end));
        }
        lines.add(END);
    }

    /** Sends one line. */
    synchronized void send(String line) {
        try {
            socket.getOutputStream().write((line + '\n').getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new PerfException(end != null ? end : "the " + other + " process ended in the middle of the test");
        }
    }

    /** Tells the other process why this one gives up; it may be gone. */
    void fail(String why) {
        try {
            send(FAILED + why.lines().findFirst().orElse("failed"));
        } catch (PerfException e) {
            // Nobody to tell.
        }
    }

    /**
     * The next line.
     *
     * @param millis how long to wait at most; 0 for ever
     * @throws PerfException when the other process failed, ended or took too long
     */
    String next(long millis) {
        String line = poll(millis == 0 ? Long.MAX_VALUE : millis);
        if (line == null) {
            throw new PerfException("the " + other + " gave no answer in " + millis / 1_000 + " s; is it stopped?");
        }
        return line;
    }

    /** The next line; null when none comes in time. */
    String poll(long millis) {
        try {
            String line = lines.poll(millis, TimeUnit.MILLISECONDS);
            if (END.equals(line)) {
                lines.add(END);
                throw new PerfException(end());
            }
            return line;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PerfException("interrupted");
        }
    }

    /** The next line, which must begin with a word; returns what follows it. */
    String expect(String word, long millis) {
        String line = next(millis);
        if (!line.equals(word) && !line.startsWith(word + ' ')) {
            throw new PerfException("the " + other + " says \"" + line.substring(0, Math.min(60, line.length()))
                    + "\" instead of " + word);
        }
        return line.substring(word.length()).strip();
    }

    private synchronized String end() {
        return end;
    }

    /** A failure here may be the consequence of the other process's end, which is the better explanation then. */
    PerfException explain(PerfException failure) {
        try {
            reader.join(EXPLAIN_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String why = end();
        return why == null ? failure : new PerfException(why);
    }

    /** Tells the other process that this one gives up; returns what to tell the user. */
    PerfException giveUp(PerfException failure) {
        PerfException why = explain(failure);
        fail(why.getMessage());
        return why;
    }

    /** Waits until both processes are done: what the other one still needs from this one is there until then. */
    void finish() {
        watch(null);
        send(DONE);
        expect(DONE, ANSWER_MS);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        try {
            socket.close();
        } catch (IOException e) {
            // Closed for us all the same.
        }
    }
}
