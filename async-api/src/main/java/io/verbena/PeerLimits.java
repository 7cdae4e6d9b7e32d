package io.verbena;

/**
 * What the peer takes, as it said when connecting; an equal configuration is assumed when it could not say.
 *
 * @param receives its {@link QueueConfig#receives()}
 * @param slotBytes its {@link MessageConfig#slotBytes()}
 * @param maxBytes its {@link MessageConfig#maxBytes()}
 * @param rdAtomic its {@link TransportConfig#rdAtomic()}
 */
record PeerLimits(int receives, int slotBytes, long maxBytes, int rdAtomic) {
    static PeerLimits like(ConnectionConfig config) {
        return new PeerLimits(config.queues().receives(), config.messages().slotBytes(), config.messages().maxBytes(),
                config.transport().rdAtomic());
    }
}
