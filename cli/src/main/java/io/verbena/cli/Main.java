package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.bench.PerfException;
import io.verbena.cli.PingpongServiceCommand.Service;
import io.verbena.verbs.VerbsException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Entry of the {@code verbena} command. Exit status: 0 on success, 1 when something failed, 2 for a bad argument. A
 * failure is told in one line; {@code -Dverbena.trace=true} adds the stack trace. Results that could not be written are
 * a failure.
 */
public final class Main {
    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int BAD_ARGUMENT = 2;
    private static final String LOG_FORMAT = "java.util.logging.SimpleFormatter.format";

    private Main() {}

    /**
     * Runs a command and ends the process with its exit status.
     *
     * @param args as typed
     */
    public static void main(String[] args) {
        if (System.getProperty(LOG_FORMAT) == null) {
            System.setProperty(LOG_FORMAT, "verbena: %5$s%6$s%n"); // one plain line, like other messages
        }
        System.exit(run(Terminal.system(), args));
    }

    /** Runs a command and writes its results to the end; returns its exit status. */
    static int run(Terminal terminal, String... args) {
        int status = execute(terminal, args);
        if (terminal.out().checkError() && status == OK) {
            terminal.err().println("verbena: the results could not be written to standard output");
            return FAILED;
        }
        return status;
    }

    private static int execute(Terminal terminal, String... args) {
        try {
            CommandLine commands = commands(terminal);
            if (args.length == 0) {
                commands.usage(terminal.out());
                return OK;
            }
            return commands.execute(args);
        } catch (OutOfMemoryError e) {
            return fail(terminal, "verbena", "not enough memory: " + e.getMessage(), e);
        } catch (LinkageError e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return fail(terminal, "verbena", cause.getMessage() == null ? cause.toString() : cause.getMessage(), e);
        }
    }

    /** The command with all its subcommands. */
    static CommandLine commands(Terminal terminal) {
        CommandLine root = new CommandLine(new VerbenaCommand());
        add(root, "demo", new DemoCommand(terminal));
        add(root, "shell", new ShellCommand(terminal));
        add(root, "devices", new DevicesCommand(terminal));
        add(root, "devinfo", new DevinfoCommand(terminal));
        CommandLine pingpong = add(root, "pingpong", new PingpongCommand(terminal));
        for (Service service : Service.values()) {
            pingpong.addSubcommand(service.label(), PingpongServiceCommand.of(terminal, service));
        }
        add(root, "perf", new PerfCommand(terminal));
        add(root, "compare", new CompareCommand(terminal));
        add(root, "stat", new StatCommand(terminal));
        add(root, "shm", new ShmCommand()).addSubcommand("ls", new ShmLsCommand(terminal));
        add(root, "sim", new SimCommand(terminal));
        root.setOut(new PrintWriter(terminal.out(), true));
        root.setErr(new PrintWriter(terminal.err(), true));
        root.setUsageHelpWidth(100);
        root.setUsageHelpAutoWidth(false);
        root.setParameterExceptionHandler((e, args) -> badArgument(terminal, e));
        root.setExecutionExceptionHandler((e, command, result) -> failure(terminal, command, e));
        return root;
    }

    private static CommandLine add(CommandLine parent, String name, Callable<Integer> command) {
        CommandLine child = new CommandLine(command);
        parent.addSubcommand(name, child);
        return child;
    }

    private static int badArgument(Terminal terminal, ParameterException e) {
        CommandLine command = e.getCommandLine();
        String name = command.getCommandSpec().qualifiedName(" ");
        Throwable cause = e.getCause() instanceof BadOptionException bad ? bad : e;
        String text = cause.getMessage().lines().findFirst().orElse("bad argument");
        if (e instanceof UnmatchedArgumentException unmatched && !command.getSubcommands().isEmpty()
                && !unmatched.isUnknownOption()) {
            text = "unknown command \"" + unmatched.getUnmatched().getFirst() + "\"; allowed: "
                    + String.join(", ", commandNames(command));
        } else if (cause == e && !text.contains("allowed")) {
            text += "; " + name + " --help tells what is allowed";
        }
        terminal.err().println(name + ": " + text);
        return BAD_ARGUMENT;
    }

    private static List<String> commandNames(CommandLine command) {
        List<String> names = new ArrayList<>(command.getSubcommands().keySet());
        names.sort(null);
        return names;
    }

    private static int failure(Terminal terminal, CommandLine command, Exception e) {
        String name = command.getCommandSpec().qualifiedName(" ");
        if (e instanceof BadOptionException) {
            terminal.err().println(name + ": " + e.getMessage());
            return BAD_ARGUMENT;
        }
        boolean expected = e instanceof PerfException || e instanceof VerbsException;
        return fail(terminal, name, expected ? e.getMessage() : "internal error, please report it: " + e, e);
    }

    private static int fail(Terminal terminal, String name, String text, Throwable e) {
        terminal.err().println(name + ": " + text.lines().findFirst().orElse("failed"));
        if (Boolean.getBoolean("verbena.trace")) {
            e.printStackTrace(terminal.err());
        }
        return FAILED;
    }
}
