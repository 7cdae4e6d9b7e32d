package io.verbena.tidy;

import com.sun.source.tree.ExportsTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.util.TreeScanner;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which packages there are, who owns them, who uses and who exports them. */
final class Structure {
    /** The one direction of dependencies: what a module may use besides itself. */
    private static final Map<String, Set<String>> MAY_USE = Map.of(
            "verbs-core", Set.of(),
            "transport-rc", Set.of("verbs-core"),
            "soft-nic", Set.of("transport-rc", "verbs-core"),
            "simulation", Set.of("transport-rc", "verbs-core"),
            "verbs-native", Set.of("verbs-core"),
            "async-api", Set.of("verbs-core"),
            "rpc", Set.of("async-api", "verbs-core"),
            "tidy", Set.of());

    /** Modules that may use whatever the others export. */
    private static final Set<String> MAY_USE_EXPORTED = Set.of("benchmarks", "cli", "examples");

    private final List<Source> sources;
    private final Map<String, Set<String>> owners = new TreeMap<>();
    private final Map<String, Set<String>> exports = new TreeMap<>();

    Structure(List<Source> sources) {
        this.sources = sources;
        for (var source : sources) {
            var module = source.unit().getModule();
            if (module == null) {
                owners.computeIfAbsent(source.packageName(), p -> new TreeSet<>()).add(source.module());
            } else {
                var exported = exports.computeIfAbsent(source.module(), m -> new TreeSet<>());
                for (var directive : module.getDirectives()) {
                    if (directive instanceof ExportsTree e) {
                        exported.add(e.getPackageName().toString());
                    }
                }
            }
        }
    }

    /** The packages that modules export. */
    Set<String> exportedPackages() {
        var all = new TreeSet<String>();
        exports.values().forEach(all::addAll);
        return all;
    }

    /** Exactly these packages are exported, by module. */
    List<Finding> exports(Map<String, Set<String>> frozen) {
        var findings = new ArrayList<Finding>();
        exports.forEach((module, exported) -> {
            var expected = frozen.getOrDefault(module, Set.of());
            if (!exported.equals(expected)) {
                findings.add(new Finding(module, "exports %s, the frozen list says %s".formatted(exported, expected)));
            }
        });
        return findings;
    }

    /** A package belongs to one module, with its tests. */
    List<Finding> splitPackages() {
        var findings = new ArrayList<Finding>();
        owners.forEach((name, modules) -> {
            if (modules.size() > 1) {
                findings.add(new Finding(name, "a package in more than one module: " + modules));
            }
        });
        return findings;
    }

    /** Modules use only what lies in the one direction, in their tests too. */
    List<Finding> directions() {
        var findings = new ArrayList<Finding>();
        for (var source : sources) {
            for (var used : usedPackages(source)) {
                for (var owner : owners.get(used)) {
                    if (!mayUse(source.module(), owner, used)) {
                        findings.add(new Finding(source.path(), "%s may not use %s of %s"
                                .formatted(source.module(), used, owner)));
                    }
                }
            }
        }
        return findings;
    }

    /** Packages depend on each other without cycles; a package and its {@code spi} count as one. */
    List<Finding> cycles() {
        var uses = new TreeMap<String, Set<String>>();
        for (var source : sources) {
            if (source.set().equals("main")) {
                var from = withoutSpi(source.packageName());
                var to = uses.computeIfAbsent(from, p -> new TreeSet<>());
                usedPackages(source).stream().map(Structure::withoutSpi).filter(p -> !p.equals(from)).forEach(to::add);
            }
        }
        var findings = new ArrayList<Finding>();
        var reported = new HashSet<Set<String>>();
        for (var start : uses.keySet()) {
            var cycle = pathBack(start, start, uses, new ArrayList<>(List.of(start)), new HashSet<>());
            if (!cycle.isEmpty() && reported.add(Set.copyOf(cycle))) {
                findings.add(new Finding(start, "a cycle of packages: " + String.join(" -> ", cycle)));
            }
        }
        return findings;
    }

    private static List<String> pathBack(
            String at, String target, Map<String, Set<String>> uses, List<String> path, Set<String> seen) {
        for (var next : uses.getOrDefault(at, Set.of())) {
            if (next.equals(target)) {
                return path;
            }
            if (seen.add(next)) {
                path.add(next);
                var found = pathBack(next, target, uses, path, seen);
                if (!found.isEmpty()) {
                    return found;
                }
                path.removeLast();
            }
        }
        return List.of();
    }

    private boolean mayUse(String user, String owner, String used) {
        if (user.equals(owner) || MAY_USE.getOrDefault(user, Set.of()).contains(owner)) {
            return true;
        }
        return MAY_USE_EXPORTED.contains(user) && exportedPackages().contains(used);
    }

    /** Packages of this project that a file imports or names in full, its own left out. */
    private Set<String> usedPackages(Source source) {
        var used = new TreeSet<String>();
        if (source.unit().getModule() != null) {
            return used;
        }
        var names = new TreeScanner<Void, Void>() {
            @Override
            public Void visitMemberSelect(MemberSelectTree tree, Void unused) {
                if (!isName(tree)) {
                    return super.visitMemberSelect(tree, null);
                }
                var owner = packageOf(tree.toString());
                if (!owner.isEmpty() && !owner.equals(source.packageName())) {
                    used.add(owner);
                }
                return null;
            }
        };
        names.scan(source.unit().getImports(), null);
        names.scan(source.unit().getTypeDecls(), null);
        return used;
    }

    /** The longest known package that starts a name; empty if it is not of this project. */
    private String packageOf(String name) {
        var prefix = name;
        while (!prefix.isEmpty() && !owners.containsKey(prefix)) {
            prefix = prefix.substring(0, Math.max(0, prefix.lastIndexOf('.')));
        }
        return prefix;
    }

    /** True for {@code a.b.c}, false if a call or anything else is in it. */
    private static boolean isName(MemberSelectTree tree) {
        var left = tree.getExpression();
        while (left instanceof MemberSelectTree select) {
            left = select.getExpression();
        }
        return left instanceof IdentifierTree;
    }

    private static String withoutSpi(String name) {
        return name.endsWith(".spi") ? name.substring(0, name.length() - ".spi".length()) : name;
    }
}
