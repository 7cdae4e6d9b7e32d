package io.verbena.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Shows that every rule over the whole project can fail, and where it must not. */
class StructureTest {
    private static final Source VERBS = Source.snippet("verbs-core", "main", "package v; class V {}");
    private static final Source RC = Source.snippet("transport-rc", "main", "package r; class R { v.V v; }");
    private static final Source NIC = Source.snippet("soft-nic", "main", "package n; import r.R; class N {}");

    @Test
    void acceptsTheOneDirection() {
        assertEquals(List.of(), structure(VERBS, RC, NIC).directions());
    }

    @Test
    void findsImportsAgainstTheDirection() {
        var bad = Source.snippet("transport-rc", "main", "package r; import n.N; class R {}");
        assertEquals(
                List.of("Snippet.java: transport-rc may not use n of soft-nic"),
                strings(structure(VERBS, bad, NIC).directions()));
    }

    @Test
    void findsStaticImportsAndFullNamesAgainstTheDirection() {
        var imported = Source.snippet("async-api", "test", "package a; import static n.N.f; class A {}");
        assertEquals(1, structure(VERBS, RC, NIC, imported).directions().size());
        var named = Source.snippet("rpc", "main", "package a; class A { Object o = n.N.f(); }");
        assertEquals(1, structure(VERBS, RC, NIC, named).directions().size());
        var star = Source.snippet("verbs-core", "main", "package v; import r.*; class A {}");
        assertEquals(1, structure(RC, NIC, star).directions().size());
    }

    @Test
    void letsToolsUseOnlyWhatIsExported() {
        var tool = Source.snippet("cli", "main", "package c; import n.N; class C {}");
        assertEquals(1, structure(VERBS, RC, NIC, tool).directions().size());
        var exports = Source.snippet("soft-nic", "main", "module m { exports n; }");
        assertEquals(0, structure(VERBS, RC, NIC, tool, exports).directions().size());
    }

    @Test
    void findsCyclesOfPackages() {
        var a = Source.snippet("m", "main", "package a; import b.B; class A {}");
        var b = Source.snippet("m", "main", "package b; import c.C; class B {}");
        var c = Source.snippet("m", "main", "package c; class C { a.A a; }");
        assertEquals(List.of("a: a cycle of packages: a -> b -> c"), strings(structure(a, b, c).cycles()));
        assertEquals(List.of(), structure(a, b).cycles());
    }

    @Test
    void countsAPackageAndItsSpiAsOne() {
        var api = Source.snippet("m", "main", "package a; import a.spi.P; class A {}");
        var spi = Source.snippet("m", "main", "package a.spi; import a.A; class P {}");
        assertEquals(List.of(), structure(api, spi).cycles());
    }

    @Test
    void findsSplitPackages() {
        var twin = Source.snippet("soft-nic", "test", "package v; class W {}");
        assertEquals(
                List.of("v: a package in more than one module: [soft-nic, verbs-core]"),
                strings(structure(VERBS, twin).splitPackages()));
        assertEquals(List.of(), structure(VERBS, RC, NIC).splitPackages());
    }

    @Test
    void findsExportsOutsideTheFrozenList() {
        var exporting = structure(Source.snippet("verbs-core", "main", "module m { exports v; exports w to x; }"));
        assertEquals(List.of(), exporting.exports(Map.of("verbs-core", Set.of("v", "w"))));
        assertEquals(
                List.of("verbs-core: exports [v, w], the frozen list says [v]"),
                strings(exporting.exports(Map.of("verbs-core", Set.of("v")))));
        assertEquals(1, exporting.exports(Map.of()).size());
    }

    private static Structure structure(Source... sources) {
        return new Structure(Stream.of(sources).toList());
    }

    private static List<String> strings(List<Finding> findings) {
        return findings.stream().map(Finding::toString).toList();
    }
}
