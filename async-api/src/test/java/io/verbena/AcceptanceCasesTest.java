package io.verbena;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every acceptance case and every defect of others has a test class named after it, that runs over every link as part
 * of the plain build, and that docs/testing.md names.
 */
class AcceptanceCasesTest {
    private static final int CASES = 25;
    private static final int DEFECTS = 18;
    /** Connections set up by RDMA CM, which is not there yet. */
    private static final int BY_CONNECTION_MANAGER = 14;

    private static List<String> numbers() {
        List<String> all = new ArrayList<>();
        for (int i = 1; i <= CASES; i++) {
            all.add(String.format("Case%02d", i));
        }
        for (int i = 1; i <= DEFECTS; i++) {
            if (i != BY_CONNECTION_MANAGER) {
                all.add(String.format("D%02d", i));
            }
        }
        return all;
    }

    private static List<String> classesOf(String number) throws IOException, URISyntaxException {
        Path root = Path.of(AcceptanceCasesTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.list(root.resolve("io/verbena"))) {
            return files.map(each -> each.getFileName().toString()).filter(each -> each.startsWith(number)
                    && each.endsWith("Test.class")).map(each -> each.replace(".class", "")).toList();
        }
    }

    private static boolean runsOverEveryLink(Method method) {
        return method.isAnnotationPresent(EveryLink.class) && !method.isAnnotationPresent(Tag.class);
    }

    @Test
    void eachHasATestThatRunsOverEveryLink() throws Exception {
        for (String number : numbers()) {
            List<String> classes = classesOf(number);
            assertEquals(1, classes.size(), number + " is tested by " + classes);
            Class<?> test = Class.forName("io.verbena." + classes.getFirst());
            assertTrue(Arrays.stream(test.getDeclaredMethods()).anyMatch(AcceptanceCasesTest::runsOverEveryLink),
                    test + " has no method that is an @EveryLink and part of the plain build");
        }
    }

    @Test
    void eachIsInTheDocumentation() throws Exception {
        String text = Files.readString(Path.of("../docs/testing.md"));
        for (String number : numbers()) {
            String name = classesOf(number).getFirst();
            assertTrue(text.contains("`" + name + "`"), name + " is not in docs/testing.md");
        }
    }
}
