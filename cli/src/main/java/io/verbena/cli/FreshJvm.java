package io.verbena.cli;

import io.verbena.bench.PerfException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs the verbena command in a new JVM with the flags and the class path of this one. */
final class FreshJvm {
    private FreshJvm() {}

    /** Runs a command and returns the last line it printed. */
    static String run(List<String> words) {
        List<String> command = command(words);
        try {
            String output = output(command).strip();
            if (output.isEmpty()) {
                throw new PerfException("verbena " + String.join(" ", words) + " failed");
            }
            return output.substring(output.lastIndexOf('\n') + 1);
        } catch (IOException e) {
            throw new UncheckedIOException("can't start " + command.getFirst() + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PerfException("interrupted");
        }
    }

    /** How to start a command. */
    static List<String> command(List<String> words) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.add("-D" + Terminal.PROGRESS + "=false");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(words);
        return command;
    }

    /** What a command printed; nothing when its exit status is not 0. */
    private static String output(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        // Who ends this command ends the measuring process too.
        Thread ending = new Thread(process::destroy);
        Runtime.getRuntime().addShutdownHook(ending);
        try {
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? output : "";
        } finally {
            process.destroy();
            try {
                Runtime.getRuntime().removeShutdownHook(ending);
            } catch (IllegalStateException alreadyShuttingDown) {
                process.destroy();
            }
        }
    }

    /** The number of a field in a line of JSON. */
    static double number(String line, String field) {
        Matcher matcher = Pattern.compile('"' + field + "\": ([0-9.]+)").matcher(line);
        if (!matcher.find()) {
            throw new PerfException("no field " + field + " in: " + line);
        }
        return Double.parseDouble(matcher.group(1));
    }
}
