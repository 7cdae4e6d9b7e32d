package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.bench.PerfException;
import io.verbena.cli.shell.InteractiveShell;
import io.verbena.cli.shell.SnippetSession;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The APIs by hand: jshell with everything imported and two connected ends of each. */
@Command(name = "shell", description = {
    "Try both APIs by hand: jshell with everything imported and two connected ends of each.",
    "With a terminal it is interactive; with FILE or piped input it runs that and ends.",
    "Its exit status is then 0 only if every snippet compiled and threw nothing."})
final class ShellCommand implements Callable<Integer> {
    private static final String STDIN = "-";
    private static final String MODULE = "jdk.jshell";

    private final Terminal terminal;

    @Mixin
    private HelpOption help;

    @Parameters(arity = "0..*", paramLabel = "FILE",
            description = "Scripts to run one after another in one session; - is standard input.")
    private List<String> files = List.of();

    @Option(names = {"-d", "--dev", "--ib-dev"}, defaultValue = DeviceOptions.DEFAULT, paramLabel = "DEV",
            description = "Device, as NAME or NAME?key=value&key=value (default ${DEFAULT-VALUE}).")
    private String device;

    @Option(names = "--no-setup", description = "Only imports and helpers: no device is opened, nothing is connected.")
    private boolean noSetup;

    @Option(names = {"-q", "--quiet"}, description = "No banner; in scripts, no values but what they print.")
    private boolean quiet;

    ShellCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        if (ModuleLayer.boot().findModule(MODULE).isEmpty()) {
            throw new PerfException("the Java in " + System.getProperty("java.home") + " has no jshell (module "
                    + MODULE + "); set JAVA_HOME to a full JDK of version 25 or newer");
        }
        files.forEach(ShellCommand::checkReadable);
        String prepared = noSetup ? null : device;
        if (prepared != null) {
            DeviceOptions.open(prepared).close();
        }
        Console console = System.console();
        if (files.isEmpty() && console != null && console.isTerminal()) {
            if (!quiet) {
                terminal.out().print(InteractiveShell.banner(Version.text(), prepared != null));
            }
            return InteractiveShell.run(prepared, quiet);
        }
        return runScripts(prepared);
    }

    private static void checkReadable(String file) {
        if (!file.equals(STDIN) && !(Files.isReadable(Path.of(file)) && !Files.isDirectory(Path.of(file)))) {
            throw BadOptionException.value("FILE", '"' + file + '"',
                    "a script that can be read, or - for standard input");
        }
    }

    private int runScripts(String prepared) throws IOException {
        try (SnippetSession session = new SnippetSession(terminal.out(), terminal.err(), !quiet, prepared)) {
            for (String file : files.isEmpty() ? List.of(STDIN) : files) {
                if (session.hasExited()) {
                    break;
                }
                try (Reader script = open(file)) {
                    session.run(file.equals(STDIN) ? "stdin" : file, script);
                }
            }
            return session.exitStatus();
        }
    }

    private static Reader open(String file) throws IOException {
        return file.equals(STDIN)
                ? new InputStreamReader(System.in, StandardCharsets.UTF_8)
                : new InputStreamReader(Files.newInputStream(Path.of(file)), StandardCharsets.UTF_8);
    }
}
