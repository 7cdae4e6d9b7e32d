package io.verbena.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Modifier;

/** Limits on the size of files, lines, methods and parameter lists. */
final class SizeRules {
    static final int MAX_FILE_LINES = 500;
    static final int MAX_LINE_LENGTH = 120;
    static final int MAX_METHOD_LINES = 60;
    static final int MAX_PARAMETERS = 7;

    /** Type or Type.method, and why it may have more parameters than others. Keep it short. */
    private static final Map<String, String> MANY_PARAMETERS = Map.of();

    private SizeRules() {}

    /** Files of at most {@value #MAX_FILE_LINES} lines. */
    static List<Finding> fileLength(Source source) {
        var lines = source.text().lines().count();
        return lines <= MAX_FILE_LINES
                ? List.of()
                : List.of(source.at(1, lines + " lines, at most " + MAX_FILE_LINES + ": split it"));
    }

    /** Lines of at most {@value #MAX_LINE_LENGTH} characters. */
    static List<Finding> lineLength(Source source) {
        var findings = new ArrayList<Finding>();
        var number = 0;
        for (var line : source.text().lines().toList()) {
            number++;
            var length = line.codePointCount(0, line.length());
            if (length > MAX_LINE_LENGTH) {
                findings.add(source.at(number, length + " characters, at most " + MAX_LINE_LENGTH));
            }
        }
        return findings;
    }

    /** Methods and constructors of at most {@value #MAX_METHOD_LINES} lines, comments before them not counted. */
    static List<Finding> methodLength(Source source) {
        var findings = new ArrayList<Finding>();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitMethod(MethodTree method, Void unused) {
                var lines = source.lastLine(method) - source.line(method) + 1;
                if (lines > MAX_METHOD_LINES) {
                    var what = "%s has %d lines, at most %d".formatted(method.getName(), lines, MAX_METHOD_LINES);
                    findings.add(source.at(method, what));
                }
                return super.visitMethod(method, null);
            }
        }.scan(source.unit(), null);
        return findings;
    }

    /** At most {@value #MAX_PARAMETERS} parameters of a method or constructor, or components of a record. */
    static List<Finding> parameters(Source source) {
        var findings = new ArrayList<Finding>();
        new TreeScanner<Void, ClassTree>() {
            @Override
            public Void visitClass(ClassTree type, ClassTree outer) {
                if (type.getKind() == Tree.Kind.RECORD) {
                    check(type, type.getSimpleName().toString(), components(type));
                }
                return super.visitClass(type, type);
            }

            @Override
            public Void visitMethod(MethodTree method, ClassTree type) {
                if (!isCanonical(method, type)) {
                    check(method, type.getSimpleName() + "." + method.getName(), method.getParameters().size());
                }
                return super.visitMethod(method, type);
            }

            private void check(Tree tree, String name, long count) {
                if (count > MAX_PARAMETERS && !MANY_PARAMETERS.containsKey(name)) {
                    findings.add(source.at(tree, "%s: %d parameters, at most %d: group them in a type"
                            .formatted(name, count, MAX_PARAMETERS)));
                }
            }
        }.scan(source.unit(), null);
        return findings;
    }

    // The canonical constructor of a record has the record's components, which were counted already.
    private static boolean isCanonical(MethodTree method, ClassTree type) {
        return type.getKind() == Tree.Kind.RECORD
                && method.getName().contentEquals("<init>")
                && method.getParameters().size() == components(type);
    }

    // A record has no other instance fields than its components.
    private static long components(ClassTree type) {
        return type.getMembers().stream()
                .filter(m -> m instanceof VariableTree v && !v.getModifiers().getFlags().contains(Modifier.STATIC))
                .count();
    }
}
