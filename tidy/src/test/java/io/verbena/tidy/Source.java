package io.verbena.tidy;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * One parsed Java file and where it belongs.
 *
 * @param module the Maven module's folder, like {@code soft-nic}
 * @param set the source set: {@code main}, {@code test}, {@code jmh}, {@code jcstress}
 * @param path the file, relative to the project's root
 * @param text all of its text
 * @param unit its syntax tree; nothing is resolved
 * @param docs the comments and positions of that tree
 */
record Source(String module, String set, String path, String text, CompilationUnitTree unit, DocTrees docs) {

    /** A file before parsing. */
    record File(String module, String set, String path, String text) {}

    /** Parses many files at once; fails if one is not Java. */
    static List<Source> parse(List<File> files) {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var problems = new DiagnosticCollector<JavaFileObject>();
        var objects = files.stream().map(InMemory::new).toList();
        var byUri = objects.stream().collect(Collectors.toMap(InMemory::toUri, o -> o.file));
        var task = (JavacTask) compiler.getTask(null, null, problems, null, null, objects);
        var docs = DocTrees.instance(task);
        var sources = new ArrayList<Source>();
        try {
            for (var unit : task.parse()) {
                var file = byUri.get(unit.getSourceFile().toUri());
                sources.add(new Source(file.module, file.set, file.path, file.text, unit, docs));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!problems.getDiagnostics().isEmpty()) {
            throw new IllegalArgumentException("not valid Java: " + problems.getDiagnostics());
        }
        return sources;
    }

    /** Parses a piece of code as if it were the main source of a module. */
    static Source snippet(String module, String set, String text) {
        return parse(List.of(new File(module, set, "Snippet.java", text))).getFirst();
    }

    /** The package's name; empty for the unnamed package and for module-info. */
    String packageName() {
        return unit.getPackageName() == null ? "" : unit.getPackageName().toString();
    }

    /** The line, from 1, on which a tree starts, its doc comment left out. */
    long line(Tree tree) {
        return unit.getLineMap().getLineNumber(start(tree));
    }

    /** The line, from 1, on which a tree ends. */
    long lastLine(Tree tree) {
        return unit.getLineMap().getLineNumber(docs.getSourcePositions().getEndPosition(unit, tree));
    }

    /** The text from a tree's first character to the end of the file. */
    String textFrom(Tree tree) {
        return text.substring((int) start(tree));
    }

    /** True if a doc comment stands before this declaration and says something. */
    boolean hasDoc(TreePath path) {
        var comment = docs.getDocComment(path);
        return comment != null && !comment.isBlank();
    }

    /** A finding at a tree. */
    Finding at(Tree tree, String what) {
        return at(line(tree), what);
    }

    /** A finding at a line. */
    Finding at(long line, String what) {
        return new Finding(path + ":" + line, what);
    }

    private long start(Tree tree) {
        return docs.getSourcePositions().getStartPosition(unit, tree);
    }

    /** Hands the compiler text that was read already. */
    private static final class InMemory extends SimpleJavaFileObject {
        private final File file;

        InMemory(File file) {
            super(URI.create("memory:///" + file.path.replace(' ', '_')), Kind.SOURCE);
            this.file = file;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return file.text;
        }
    }
}
