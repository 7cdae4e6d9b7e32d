package io.verbena.cli.shell;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The snippets that a shell begins with: imports, and two connected ends of each API unless none are wanted. */
final class Startup {
    private static final List<String> IMPORTS = List.of(
            "java.io.*", "java.math.*", "java.net.*", "java.nio.file.*", "java.time.*", "java.util.*",
            "java.util.concurrent.*", "java.util.function.*", "java.util.prefs.*", "java.util.regex.*",
            "java.util.stream.*", "java.lang.foreign.*", "io.verbena.*", "io.verbena.verbs.*",
            "static io.verbena.verbs.Access.*", "static io.verbena.verbs.SendFlags.*",
            "io.verbena.cli.shell.End", "io.verbena.cli.shell.Posted", "static io.verbena.cli.shell.Shell.*");
    private static final List<String> ENDS = List.of(
            "Device device = context.device();",
            "ProtectionDomain pd = context.allocateProtectionDomain();",
            "End a = new End(\"a\", pd, QueuePairType.RC);",
            "End b = new End(\"b\", pd, QueuePairType.RC);",
            "connect(a, b);",
            "QueuePair qpA = a.qp;",
            "QueuePair qpB = b.qp;",
            "CompletionQueue cqA = a.cq;",
            "CompletionQueue cqB = b.cq;",
            "MemoryRegion mrA = a.mr;",
            "MemoryRegion mrB = b.mr;");
    /** Two ends of the asynchronous API, on a node of its own. */
    private static final List<String> CONNECTIONS = List.of(
            "RdmaConnection[] both = node.pair(ConnectionConfig.DEFAULT);",
            "RdmaConnection left = both[0];",
            "RdmaConnection right = both[1];");

    private Startup() {}

    /** The snippets, in order; a null device prepares nothing. */
    static List<String> snippets(String device) {
        List<String> snippets = new ArrayList<>(IMPORTS.stream().map(name -> "import " + name + ';').toList());
        if (device != null) {
            snippets.add("Context context = Devices.open(" + literal(device) + ");");
            snippets.addAll(ENDS);
            snippets.add("RdmaNode node = RdmaNode.open(" + literal(device) + ");");
            snippets.addAll(CONNECTIONS);
        }
        return snippets;
    }

    /** The text as a Java string literal. */
    private static String literal(String text) {
        StringBuilder literal = new StringBuilder().append('"');
        text.chars().forEach(c -> literal.append(c >= ' ' && c <= '~' && c != '"' && c != '\\'
                ? Character.toString(c) : String.format("\\u%04x", c)));
        return literal.append('"').toString();
    }

    /** Where the compiler and the snippets find classes: the class path of this process. */
    static List<String> classPath() {
        return Stream.of(System.getProperty("java.class.path", "").split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty()).toList();
    }
}
