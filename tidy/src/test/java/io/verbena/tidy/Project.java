package io.verbena.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Finds the project's root and reads every Java file under its modules. */
final class Project {
    private Project() {}

    /** Every source of every module, parsed. */
    static List<Source> sources() {
        var root = root();
        var files = new ArrayList<Source.File>();
        try (var modules = Files.list(root)) {
            for (var module : modules.filter(m -> Files.exists(m.resolve("pom.xml"))).sorted().toList()) {
                read(root, module, files);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Source.parse(files);
    }

    private static void read(Path root, Path module, List<Source.File> files) throws IOException {
        var src = module.resolve("src");
        if (!Files.isDirectory(src)) {
            return;
        }
        try (var paths = Files.walk(src)) {
            for (var path : paths.filter(p -> p.toString().endsWith(".java")).sorted().toList()) {
                var set = src.relativize(path).getName(0).toString();
                var name = root.relativize(path).toString();
                files.add(new Source.File(module.getFileName().toString(), set, name, Files.readString(path)));
            }
        }
    }

    /** The folder that everything is in. */
    static Path root() {
        var folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("verbs-core/pom.xml"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new IllegalStateException("run this inside the project: no folder above has verbs-core/pom.xml");
            }
        }
        return folder;
    }
}
