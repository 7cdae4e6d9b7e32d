/** The {@code verbena} command. */
module io.verbena.cli {
    requires info.picocli;
    requires io.verbena.async;
    requires io.verbena.bench;
    requires io.verbena.nic;
    requires io.verbena.sim;
    requires io.verbena.verbs;
    requires java.management;
    requires jdk.jshell;

    opens io.verbena.cli to info.picocli;
}
