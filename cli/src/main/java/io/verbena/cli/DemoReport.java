package io.verbena.cli;

import io.verbena.bench.Json;
import java.util.ArrayList;
import java.util.List;

/** Tells the story of the demo: text as it goes, or one JSON object at the end. */
final class DemoReport {
    private final Terminal terminal;
    private final boolean json;
    private final Json result = new Json();
    private final List<Json> steps = new ArrayList<>();
    private final List<Json> roundTrips = new ArrayList<>();
    private Json step;
    private int number;

    DemoReport(Terminal terminal, boolean json) {
        this.terminal = terminal;
        this.json = json;
    }

    void begin(String device, String provider) {
        result.put("device", device).put("provider", provider).put("link", "loopback");
        text("Verbena demo: RDMA inside this JVM, without RDMA hardware");
        text("");
        text("A server and a client open the software device " + device + ", each for itself. What one may do to the");
        text("other's memory, and how it fails when it may not, is what real RDMA hardware does.");
    }

    /** Starts a step. */
    void step(String id, String title) {
        step = new Json().put("step", id);
        number++;
        text("");
        text("[" + number + "] " + title);
    }

    /** A line of the story. */
    void say(String line) {
        text("    " + line);
    }

    /** A fact for machines. */
    DemoReport fact(String name, String value) {
        step.put(name, value);
        return this;
    }

    /** A fact for machines. */
    DemoReport fact(String name, long value) {
        step.put(name, value);
        return this;
    }

    /** Ends a step that went as it should. */
    void done() {
        steps.add(step.put("ok", true));
    }

    /** A measured row. */
    void roundTrip(Json row) {
        roundTrips.add(row);
    }

    /** Ends the story. */
    void end() {
        text("");
        text("Next: verbena devinfo -v, verbena pingpong rc --self -c, verbena perf send_lat, verbena --help");
        if (json) {
            terminal.line(result.put("steps", steps).put("round_trips", roundTrips).toString());
        }
    }

    private void text(String line) {
        if (!json) {
            terminal.line(line);
        }
    }
}
