package io.verbena.sim;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;

/**
 * The engine with one fault planted: a text of one source file replaced by another, compiled, and loaded beside the
 * sound engine together with a simulation of its own.
 *
 * @param service what the simulation runs to find it
 * @param name what is wrong
 * @param file the source file, from io/verbena/rc on
 * @param sound the text that stands there
 * @param faulty the text that is put instead
 */
record Mutant(Service service, String name, String file, String sound, String faulty) {
    private static final String SOURCES = "transport-rc/src/main/java/io/verbena/rc/";

    Mutant(String name, String file, String sound, String faulty) {
        this(Service.RC, name, file, sound, faulty);
    }

    /** Prefers its own copies of the engine and the simulation. */
    private static final class Loader extends URLClassLoader {
        Loader(List<URL> urls) {
            super(urls.toArray(URL[]::new), Mutant.class.getClassLoader());
            setDefaultAssertionStatus(true);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.verbena.rc.") && !name.startsWith("io.verbena.sim.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }
    }

    /**
     * Looks for a seed that shows the fault.
     *
     * @param folder an empty folder
     * @param seeds how many to try
     * @return the seed, or {@link Sim#NOTHING}
     */
    long hunt(Path folder, int seeds) throws IOException, ReflectiveOperationException {
        Path source = folder.resolve(Path.of(file).getFileName());
        String text = Files.readString(root().resolve(SOURCES + file));
        if (!text.contains(sound)) {
            throw new IllegalArgumentException(file + " no longer says: " + sound);
        }
        Files.writeString(source, text.replace(sound, faulty));
        Path classes = Files.createDirectory(folder.resolve("classes"));
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-nowarn",
                "-cp", System.getProperty("java.class.path"), "-d", classes.toString(), source.toString());
        if (status != 0) {
            throw new IllegalArgumentException(name + " does not compile");
        }
        try (var loader = new Loader(urls(classes))) {
            var hunt = loader.loadClass("io.verbena.sim.Sim").getMethod("hunt", String.class, long.class, int.class);
            return (long) hunt.invoke(null, service.name(), Sim.FIRST_FRESH_SEED, seeds);
        }
    }

    private static List<URL> urls(Path classes) throws IOException {
        var urls = new ArrayList<URL>();
        urls.add(classes.toUri().toURL());
        for (String entry : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
            URI uri = Path.of(entry).toUri();
            urls.add(uri.toURL());
        }
        return urls;
    }

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve(SOURCES))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new IllegalStateException("run this inside the project: no folder above has " + SOURCES);
            }
        }
        return folder;
    }

    @Override
    public String toString() {
        return name;
    }
}
