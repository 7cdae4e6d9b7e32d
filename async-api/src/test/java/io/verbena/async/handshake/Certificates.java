package io.verbena.async.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Certificates for tests, made by keytool. */
public final class Certificates {
    private static final char[] PASSWORD = "password".toCharArray();

    private Certificates() {}

    /**
     * Makes a certificate that vouches for itself: {@code NAME.pem} and {@code NAME.key} in a folder.
     *
     * @param subject for example {@code ip:127.0.0.1}
     * @param more further arguments of keytool
     */
    public static Path make(Path folder, String name, String subject, String... more) throws Exception {
        var store = folder.resolve(name + ".p12");
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias", "it",
                "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=" + name, "-ext", "san=" + subject,
                "-keystore", store.toString(), "-storepass", new String(PASSWORD)));
        command.addAll(List.of(more));
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        assertEquals(0, process.waitFor(), () -> readLog(folder));
        export(store, folder.resolve(name + ".pem"), folder.resolve(name + ".key"));
        return folder.resolve(name + ".pem");
    }

    private static void export(Path store, Path certificate, Path key) throws IOException, GeneralSecurityException {
        var keys = KeyStore.getInstance(store.toFile(), PASSWORD);
        Files.writeString(certificate, pem("CERTIFICATE", keys.getCertificate("it").getEncoded()));
        Files.writeString(key, pem("PRIVATE KEY", keys.getKey("it", PASSWORD).getEncoded()));
    }

    private static String pem(String what, byte[] bytes) {
        return "-----BEGIN " + what + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
                + "\n-----END " + what + "-----\n";
    }

    private static String readLog(Path folder) {
        try {
            return Files.readString(folder.resolve("keytool.log"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    static TlsFiles files(Path folder, String own, String trusted, boolean verifyName) {
        return new TlsFiles(
                folder.resolve(own + ".pem"), folder.resolve(own + ".key"), folder.resolve(trusted + ".pem"),
                verifyName);
    }
}
