package io.verbena;

import java.util.List;

/** Says what is wrong with the lengths of an operation, in numbers. */
final class Lengths {
    private Lengths() {}

    /** Of an operation on the peer's memory; local is null for an atomic. */
    static String ofOneSided(LocalMemory local, RemoteMemory remote) {
        if (local == null) {
            return "lengths: an atomic takes 8 bytes, and the remote memory has " + remote.length() + "; slice it";
        }
        if (local.length() == remote.length()) {
            return ofDevice(local.length());
        }
        return "lengths: the local memory has " + local.length() + " bytes and the remote memory has "
                + remote.length() + "; both must be equally long, so slice the longer one";
    }

    /** Of a message. */
    static String ofMessage(long length, long max) {
        return length <= max ? ofDevice(length)
                : "lengths: the message has " + length + " bytes; allowed: 0 to " + max
                        + ", the smaller MessageConfig.maxBytes of both ends";
    }

    /** Of an operation with several pieces of memory. */
    static String ofParts(List<LocalMemory> parts, RemoteMemory remote, int max) {
        long together = parts.stream().mapToLong(LocalMemory::length).sum();
        return "lengths: " + parts.size() + " parts have " + together + " bytes together and the remote memory has "
                + remote.length() + "; allowed: 1 to " + max + " parts (QueueConfig.maxSge), as long as the remote"
                + " memory together";
    }

    private static String ofDevice(long length) {
        return "lengths: " + length + " bytes are more than the device takes in one request, or with the option inline"
                + " more than QueueConfig.maxInlineBytes";
    }
}
