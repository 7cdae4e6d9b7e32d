package io.verbena.tidy;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;

/** What has to be said in comments, and what may not. */
final class CommentRules {
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
    private static final Pattern POINTER = Pattern.compile("#\\d+|docs/decisions/\\d{4}");
    private static final Set<Tree.Kind> IMPLICITLY_PUBLIC = Set.of(Tree.Kind.INTERFACE, Tree.Kind.ANNOTATION_TYPE);

    private CommentRules() {}

    /** Every named type, nested ones too, has a doc comment; types inside a method need none. */
    static List<Finding> types(Source source) {
        var findings = new ArrayList<Finding>();
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitClass(ClassTree type, Void unused) {
                if (isMember(getCurrentPath()) && !source.hasDoc(getCurrentPath())) {
                    findings.add(source.at(type, type.getSimpleName() + " has no comment that says what it is for"));
                }
                return super.visitClass(type, null);
            }
        }.scan(source.unit(), null);
        return findings;
    }

    /** Every public method of a public type in an exported package has a doc comment, unless it overrides. */
    static List<Finding> publicMethods(Source source, Set<String> exportedPackages) {
        if (!source.set().equals("main") || !exportedPackages.contains(source.packageName())) {
            return List.of();
        }
        var findings = new ArrayList<Finding>();
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitClass(ClassTree type, Void unused) {
                return isMember(getCurrentPath()) && isPublic(type.getModifiers(), getCurrentPath())
                        ? super.visitClass(type, null)
                        : null;
            }

            @Override
            public Void visitMethod(MethodTree method, Void unused) {
                if (method.getReturnType() != null
                        && isPublic(method.getModifiers(), getCurrentPath())
                        && !overrides(method)
                        && !source.hasDoc(getCurrentPath())) {
                    findings.add(source.at(method, method.getName() + " is public API and has no doc comment"));
                }
                return null;
            }
        }.scan(source.unit(), null);
        return findings;
    }

    /** Unfinished work points to an issue or to a decision. */
    static List<Finding> unfinished(Source source) {
        var findings = new ArrayList<Finding>();
        var number = 0;
        for (var line : source.text().lines().toList()) {
            number++;
            if (UNFINISHED.matcher(line).find() && !POINTER.matcher(line).find()) {
                findings.add(source.at(number, "name the issue (#12) or the decision (docs/decisions/0001-...)"));
            }
        }
        return findings;
    }

    private static boolean isMember(TreePath path) {
        var type = (ClassTree) path.getLeaf();
        var parent = path.getParentPath().getLeaf().getKind();
        return !type.getSimpleName().isEmpty()
                && (parent == Tree.Kind.COMPILATION_UNIT || parent.asInterface() == ClassTree.class);
    }

    private static boolean isPublic(ModifiersTree modifiers, TreePath path) {
        var flags = modifiers.getFlags();
        return flags.contains(Modifier.PUBLIC)
                || IMPLICITLY_PUBLIC.contains(path.getParentPath().getLeaf().getKind())
                        && !flags.contains(Modifier.PRIVATE);
    }

    private static boolean overrides(MethodTree method) {
        return method.getModifiers().getAnnotations().stream()
                .map(AnnotationTree::getAnnotationType)
                .anyMatch(a -> a.toString().equals("Override"));
    }
}
