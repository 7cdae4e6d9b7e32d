package io.verbena;

import io.verbena.async.handshake.TlsFiles;
import java.nio.file.Path;
import java.util.Objects;

/**
 * One end's files for TLS 1.3 on the handshake, in which both ends show a certificate. It guards the handshake, not
 * what the queue pairs carry afterwards. Immutable.
 *
 * @param certificates this end's certificate and those between it and the trusted one, PEM
 * @param privateKey its key, PEM in PKCS#8, not encrypted
 * @param trusted the certificates that the other end's must come from, PEM
 * @param verifyName whether a client refuses a server whose certificate isn't made out to the name or address it
 *     connected to
 */
public record TlsConfig(Path certificates, Path privateKey, Path trusted, boolean verifyName) {
    /** Checks that all files are there to be looked for. */
    public TlsConfig {
        Objects.requireNonNull(certificates, "certificates");
        Objects.requireNonNull(privateKey, "privateKey");
        Objects.requireNonNull(trusted, "trusted");
    }

    /**
     * Takes files, and has a client check names.
     *
     * @param certificates this end's certificate and those between it and the trusted one, PEM
     * @param privateKey its key, PEM in PKCS#8, not encrypted
     * @param trusted the certificates that the other end's must come from, PEM
     * @return the configuration
     */
    public static TlsConfig of(Path certificates, Path privateKey, Path trusted) {
        return new TlsConfig(certificates, privateKey, trusted, true);
    }

    /**
     * The same with or without a check of names.
     *
     * @param newVerifyName whether a client refuses a server whose certificate is made out to somebody else
     * @return a changed copy
     */
    public TlsConfig withVerifyName(boolean newVerifyName) {
        return new TlsConfig(certificates, privateKey, trusted, newVerifyName);
    }

    TlsFiles files() {
        return new TlsFiles(certificates, privateKey, trusted, verifyName);
    }
}
