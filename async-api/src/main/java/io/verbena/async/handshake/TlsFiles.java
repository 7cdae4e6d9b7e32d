package io.verbena.async.handshake;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

/**
 * The files of one end for TLS 1.3, in which both ends show a certificate.
 *
 * @param certificates this end's certificate and those between it and the trusted one, PEM
 * @param privateKey its key, PEM in PKCS#8, not encrypted
 * @param trusted the certificates that the other end's must come from, PEM
 * @param verifyName whether a client refuses a certificate that isn't made out to the name or address it connected to
 */
public record TlsFiles(Path certificates, Path privateKey, Path trusted, boolean verifyName) {
    private static final String PROTOCOL = "TLSv1.3";

    SslContext forClient() {
        return build(() -> SslContextBuilder.forClient()
                .keyManager(certificates.toFile(), privateKey.toFile())
                .endpointIdentificationAlgorithm(verifyName ? "HTTPS" : null));
    }

    SslContext forServer() {
        return build(() -> SslContextBuilder.forServer(certificates.toFile(), privateKey.toFile())
                .clientAuth(ClientAuth.REQUIRE));
    }

    private SslContext build(Supplier<SslContextBuilder> start) {
        checkReadable("certificates", certificates);
        checkReadable("privateKey", privateKey);
        checkReadable("trusted", trusted);
        try {
            return start.get()
                    .sslProvider(SslProvider.JDK)
                    .protocols(PROTOCOL)
                    .trustManager(trusted.toFile())
                    .build();
        } catch (IllegalArgumentException | SSLException e) {
            throw new IllegalArgumentException(
                    ("TLS can't use %s, %s and %s: %s; allowed: certificates and a key that belong together, in PEM, "
                                    + "the key in PKCS#8 and not encrypted (openssl pkcs8 -topk8 -nocrypt)")
                            .formatted(certificates, privateKey, trusted, e.getMessage()),
                    e);
        }
    }

    private static void checkReadable(String name, Path file) {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new IllegalArgumentException(name + " is " + file + ", which can't be read; allowed: a PEM file");
        }
    }
}
