package io.verbena.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Knows the version from what Maven leaves in the jar. */
final class Version implements IVersionProvider {
    private static final String PROPERTIES = "/META-INF/maven/io.verbena/verbena-cli/pom.properties";

    /** The version of this build. */
    static String text() {
        try (InputStream in = Version.class.getResourceAsStream(PROPERTIES)) {
            Properties properties = new Properties();
            if (in != null) {
                properties.load(in);
            }
            return properties.getProperty("version", "development");
        } catch (IOException e) {
            return "unknown";
        }
    }

    @Override
    public String[] getVersion() {
        return new String[] {
            "verbena " + text(),
            "Java " + Runtime.version() + ", " + System.getProperty("os.name") + ' ' + System.getProperty("os.arch")
        };
    }
}
