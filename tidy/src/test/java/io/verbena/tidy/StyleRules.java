package io.verbena.tidy;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Habits this project doesn't have. */
final class StyleRules {
    // The syntax tree calls resources and alternatives of a catch final as well, so the text decides.
    private static final Pattern FINAL = Pattern.compile("(@[\\w.]+(\\([^)]*\\))?\\s+)*final\\b");
    private static final Pattern DISABLED = Pattern.compile("(.*\\.)?Disabled");
    private static final Pattern SLEEP = Pattern.compile("(.*\\.)?sleep");

    private StyleRules() {}

    /** No {@code final} on local variables and parameters. */
    static List<Finding> finalLocals(Source source) {
        var findings = new ArrayList<Finding>();
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitVariable(VariableTree variable, Void unused) {
                var field = getCurrentPath().getParentPath().getLeaf() instanceof ClassTree;
                if (!field && FINAL.matcher(source.textFrom(variable)).lookingAt()) {
                    findings.add(source.at(variable, variable.getName() + ": no final on locals and parameters"));
                }
                return super.visitVariable(variable, null);
            }
        }.scan(source.unit(), null);
        return findings;
    }

    /** A test that doesn't pass is mended or removed, never disabled. */
    static List<Finding> disabledTests(Source source) {
        var findings = new ArrayList<Finding>();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitAnnotation(AnnotationTree annotation, Void unused) {
                if (DISABLED.matcher(annotation.getAnnotationType().toString()).matches()) {
                    findings.add(source.at(annotation, "a test is mended or removed, never disabled"));
                }
                return super.visitAnnotation(annotation, null);
            }
        }.scan(source.unit(), null);
        return findings;
    }

    /** Outside main sources nobody sleeps: tests wait for a condition with a deadline. */
    static List<Finding> sleeps(Source source) {
        if (source.set().equals("main")) {
            return List.of();
        }
        var findings = new ArrayList<Finding>();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitMethodInvocation(MethodInvocationTree call, Void unused) {
                if (SLEEP.matcher(call.getMethodSelect().toString()).matches()) {
                    findings.add(source.at(call, "no sleep in tests: wait for a condition with a deadline"));
                }
                return super.visitMethodInvocation(call, null);
            }
        }.scan(source.unit(), null);
        return findings;
    }
}
