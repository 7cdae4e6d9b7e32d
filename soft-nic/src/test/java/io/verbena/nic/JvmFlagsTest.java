package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.memory.Fences;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** JVMs started with other flags than usual. Each runs {@link Child} with the class path of this one. */
class JvmFlagsTest {
    private static final String EXPORTS = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";
    private static final String NATIVE = "--enable-native-access=ALL-UNNAMED";
    private static final String SYMMETRIC = "-Dverbena.symmetric.fences=true";

    /** What a child says and how it ends. */
    private record Result(int exit, String output) {}

    private static Result run(String task, String... flags) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(Arrays.asList(flags));
        command.addAll(List.of("-ea", "-cp", System.getProperty("java.class.path"), Child.class.getName(), task));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        return new Result(process.exitValue(), output);
    }

    @Test
    void missingExportIsReportedInOneSentence() throws Exception {
        Result result = run("open", NATIVE);
        assertEquals("EPERM: start the JVM with --add-exports java.base/jdk.internal.misc=ALL-UNNAMED, which the"
                + " off-heap rings (Agrona) need", result.output().strip());
        assertEquals(1, result.exit());
    }

    @Test
    void usualFlagsGiveFreeFencesAndNoWarning() throws Exception {
        boolean linux = System.getProperty("os.name").equals("Linux");
        assertEquals(new Result(0, "ok, asymmetric " + linux), trimmed(run("storm", EXPORTS, NATIVE)));
    }

    @Test
    void withoutNativeAccessEverythingWorksAndNothingIsPrinted() throws Exception {
        assertEquals(new Result(0, "ok, asymmetric false"), trimmed(run("storm", EXPORTS)));
    }

    @Test
    void symmetricFencesAreSafeToo() throws Exception {
        assertEquals(new Result(0, "ok, asymmetric false"), trimmed(run("storm", EXPORTS, NATIVE, SYMMETRIC)));
    }

    private static Result trimmed(Result result) {
        return new Result(result.exit(), result.output().strip());
    }

    /** The program that the children run. */
    static final class Child {
        private Child() {}

        /** Does one task. */
        public static void main(String[] arguments) {
            try {
                if (arguments[0].equals("open")) {
                    Devices.open("soft").close();
                } else {
                    storm();
                }
            } catch (VerbsException e) {
                System.out.println(e.getMessage());
                System.exit(1);
            }
        }

        private static void storm() {
            for (Threading threading : Threading.values()) {
                DeregistrationTest.storm(threading, true, 20);
                DeregistrationTest.storm(threading, false, 20);
            }
            System.out.println("ok, asymmetric " + Fences.ASYMMETRIC);
        }
    }
}
