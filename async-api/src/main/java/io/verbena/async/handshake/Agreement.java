package io.verbena.async.handshake;

/**
 * What two ends have agreed on, as one of them sees it.
 *
 * @param version the version of the handshake
 * @param mtuBytes the path MTU of both queue pairs
 * @param rdAtomic how many READs and atomics may be under way in either direction
 * @param maxMessageBytes the longest message, either way
 * @param capabilities what both can do
 * @param theirs what the other end has, where it is the only one concerned: room for messages
 */
public record Agreement(
        int version, int mtuBytes, int rdAtomic, long maxMessageBytes, long capabilities, Limits theirs) {}
