package io.verbena.tidy;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Keeps the house rules of CONTRIBUTING.md over every Java file of every module. */
class TidyTest {
    /** What each module exports. Adding a line is a decision: the package becomes API that users rely on. */
    private static final Map<String, Set<String>> EXPORTS = Map.of(
            "verbs-core", Set.of("io.verbena.verbs", "io.verbena.verbs.spi"),
            "transport-rc", Set.of("io.verbena.rc", "io.verbena.rc.memory", "io.verbena.rc.packet"),
            "soft-nic", Set.of("io.verbena.nic.stat"),
            "simulation", Set.of("io.verbena.sim"),
            "async-api", Set.of("io.verbena"),
            "benchmarks", Set.of("io.verbena.bench"),
            "cli", Set.of(),
            "examples", Set.of());

    private static List<Source> sources;
    private static Structure structure;

    @BeforeAll
    static void parseEverything() {
        sources = Project.sources();
        structure = new Structure(sources);
        assertFalse(sources.isEmpty());
    }

    @Test
    void filesAreShort() {
        check(SizeRules::fileLength);
    }

    @Test
    void linesAreShort() {
        check(SizeRules::lineLength);
    }

    @Test
    void methodsAreShort() {
        check(SizeRules::methodLength);
    }

    @Test
    void parametersAreFew() {
        check(SizeRules::parameters);
    }

    @Test
    void everyTypeSaysWhatItIsFor() {
        check(CommentRules::types);
    }

    @Test
    void publicApiIsDocumented() {
        var exported = structure.exportedPackages();
        check(source -> CommentRules.publicMethods(source, exported));
    }

    @Test
    void unfinishedWorkPointsSomewhere() {
        check(CommentRules::unfinished);
    }

    @Test
    void localsAreNotFinal() {
        check(StyleRules::finalLocals);
    }

    @Test
    void noTestIsDisabled() {
        check(StyleRules::disabledTests);
    }

    @Test
    void noTestSleeps() {
        check(StyleRules::sleeps);
    }

    @Test
    void dependenciesGoOneWay() {
        none(structure.directions());
    }

    @Test
    void packagesHaveNoCycles() {
        none(structure.cycles());
    }

    @Test
    void packagesAreNotSplit() {
        none(structure.splitPackages());
    }

    @Test
    void exportedPackagesAreTheFrozenList() {
        none(structure.exports(EXPORTS));
    }

    private static void check(Function<Source, List<Finding>> rule) {
        none(sources.stream().flatMap(s -> rule.apply(s).stream()).toList());
    }

    private static void none(List<Finding> findings) {
        if (!findings.isEmpty()) {
            fail(findings.stream().map(Finding::toString).collect(Collectors.joining("\n", "\n", "\n")));
        }
    }
}
