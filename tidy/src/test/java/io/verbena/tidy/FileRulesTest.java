package io.verbena.tidy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Shows that every rule over single files can fail, and where it must not. */
class FileRulesTest {
    private static final Set<String> API = Set.of("p");

    @Test
    void findsLongFiles() {
        assertEquals(0, SizeRules.fileLength(main("//\n".repeat(500))).size());
        assertEquals(List.of("Snippet.java:1: 501 lines, at most 500: split it"),
                strings(SizeRules.fileLength(main("//\n".repeat(501)))));
    }

    @Test
    void findsLongLines() {
        assertEquals(0, SizeRules.lineLength(main("//" + "x".repeat(118))).size());
        assertEquals(List.of("Snippet.java:2: 121 characters, at most 120"),
                strings(SizeRules.lineLength(main("\n//" + "x".repeat(119)))));
    }

    @Test
    void findsLongMethodsAndConstructors() {
        var body = "{" + "\n".repeat(59) + "}";
        assertEquals(0, SizeRules.methodLength(main("class A { void f() " + body + " }")).size());
        var longer = "{" + "\n".repeat(60) + "}";
        assertEquals(List.of("Snippet.java:1: f has 61 lines, at most 60"),
                strings(SizeRules.methodLength(main("class A { void f() " + longer + " }"))));
        assertEquals(1, SizeRules.methodLength(main("class A { A() " + longer + " }")).size());
        assertEquals(1, SizeRules.methodLength(main("class A { B b = new B() { void f() " + longer + " }; }")).size());
    }

    @Test
    void findsManyParameters() {
        var seven = "int a, int b, int c, int d, int e, int f, int g";
        var eight = seven + ", int h";
        assertEquals(0, SizeRules.parameters(main("record R(" + seven + ") { static int X = 1; R {} }")).size());
        assertEquals(1, SizeRules.parameters(main("record R(" + eight + ") { R {} }")).size());
        assertEquals(0, SizeRules.parameters(main("class A { void f(" + seven + ") {} }")).size());
        assertEquals(1, SizeRules.parameters(main("class A { void f(" + eight + ") {} }")).size());
        assertEquals(1, SizeRules.parameters(main("class A { A(" + eight + ") {} }")).size());
        assertEquals(1, SizeRules.parameters(main("interface A { void f(" + eight + "); }")).size());
    }

    @Test
    void findsTypesWithoutComment() {
        assertEquals(List.of("Snippet.java:1: A has no comment that says what it is for"),
                strings(CommentRules.types(main("class A {}"))));
        assertEquals(1, CommentRules.types(main("/* a */ record A() {}")).size());
        assertEquals(1, CommentRules.types(main("/** a */ class A { enum B { C { void f() {} } } }")).size());
        assertEquals(1, CommentRules.types(main("/** a */ interface A { @interface B {} }")).size());
        assertEquals(0, CommentRules.types(main("""
                /** a */
                @Deprecated
                public class A {
                    Object o = new Object() {};
                    void f() { record Local() {} }
                }
                """)).size());
    }

    @Test
    void findsPublicApiWithoutComment() {
        assertEquals(List.of("Snippet.java:1: f is public API and has no doc comment"),
                strings(CommentRules.publicMethods(main("package p; public class A { public void f() {} }"), API)));
        assertEquals(1, methods("package p; public interface A { void f(); }"));
        assertEquals(1, methods("package p; public interface A { record B() { public int f() { return 1; } } }"));
        assertEquals(1, methods("package p; public enum A { X; public int f() { return 1; } }"));
    }

    @Test
    void leavesAloneWhatIsNotPublicApi() {
        assertEquals(0, methods("package q; public class A { public void f() {} }"));
        assertEquals(0, methods("package p; class A { public void f() {} }"));
        assertEquals(0, methods("package p; public class A { void f() {} static class B { public void f() {} } }"));
        assertEquals(0, methods("package p; public class A { @Override public String toString() { return null; } }"));
        assertEquals(0, methods("package p; public interface A { private void f() {} /** g */ void g(); }"));
        assertEquals(0, methods("package p; public record A(int a) { public A {} }"));
    }

    @Test
    void findsUnfinishedWork() {
        var word = "TO" + "DO";
        assertEquals(1, CommentRules.unfinished(main("// " + word + " later")).size());
        assertEquals(1, CommentRules.unfinished(main("// FIX" + "ME")).size());
        assertEquals(0, CommentRules.unfinished(main("// " + word + " #12: the rest")).size());
        assertEquals(0, CommentRules.unfinished(main("// " + word + " docs/decisions/0003-rings.md")).size());
    }

    @Test
    void findsFinalLocals() {
        assertEquals(List.of("Snippet.java:1: x: no final on locals and parameters"),
                strings(StyleRules.finalLocals(main("class A { void f() { final int x = 1; } }"))));
        assertEquals(1, finals("class A { void f(final int x) {} }"));
        assertEquals(1, finals("class A { void f(@X(\"y\") final int x) {} }"));
        assertEquals(1, finals("class A { void f() { for (final var x : xs) {} } }"));
        assertEquals(1, finals("class A { void f() { try (final var x = y()) {} } }"));
        assertEquals(1, finals("class A { Object o = (B) (final int x) -> x; }"));
    }

    @Test
    void acceptsFinalElsewhere() {
        assertEquals(0, finals("final class A { final int x = 1; static final int Y = 2; final void f() {} }"));
        assertEquals(0, finals("record A(int x) { A {} }"));
        assertEquals(0, finals("class A { void f() { try (var x = y()) {} catch (B | C e) {} } }"));
        assertEquals(0, finals("class A { void f(Object o) { if (o instanceof R(var a, int b)) {} } }"));
        assertEquals(0, finals("class A { void f() { int finalX = 1; } }"));
    }

    @Test
    void findsDisabledTests() {
        assertEquals(1, StyleRules.disabledTests(test("class A { @Disabled void f() {} }")).size());
        assertEquals(1, StyleRules.disabledTests(test("@org.junit.jupiter.api.Disabled(\"x\") class A {}")).size());
        assertEquals(0, StyleRules.disabledTests(test("class A { @Test void f() {} }")).size());
    }

    @Test
    void findsSleeps() {
        assertEquals(1, StyleRules.sleeps(test("class A { void f() { Thread.sleep(1); } }")).size());
        assertEquals(1, StyleRules.sleeps(test("class A { void f() { TimeUnit.SECONDS.sleep(1); } }")).size());
        assertEquals(1, StyleRules.sleeps(test("class A { void f() { sleep(1); } }")).size());
        assertEquals(0, StyleRules.sleeps(test("class A { void f() { sleepers(); } }")).size());
        assertEquals(0, StyleRules.sleeps(main("class A { void f() { Thread.sleep(1); } }")).size());
    }

    private static int methods(String text) {
        return CommentRules.publicMethods(main(text), API).size();
    }

    private static int finals(String text) {
        return StyleRules.finalLocals(main(text)).size();
    }

    private static List<String> strings(List<Finding> findings) {
        return findings.stream().map(Finding::toString).toList();
    }

    private static Source main(String text) {
        return Source.snippet("verbs-core", "main", text);
    }

    private static Source test(String text) {
        return Source.snippet("verbs-core", "test", text);
    }
}
