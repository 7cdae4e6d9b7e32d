package io.verbena.async.handshake;

/** What two ends agree on, and when they can't. Pure: both ends compute it for themselves and come to the same. */
public final class Negotiation {
    /** The oldest version of the handshake that this code speaks. */
    public static final int MIN_VERSION = 1;

    /** The newest version of the handshake that this code speaks. */
    public static final int MAX_VERSION = 1;

    private Negotiation() {}

    /** The newest version that both speak. */
    static int version(Opening mine, Opening theirs) {
        var newest = Math.min(mine.maxVersion(), theirs.maxVersion());
        if (newest < Math.max(mine.minVersion(), theirs.minVersion())) {
            throw new HandshakeException(
                    FailureKind.VERSION,
                    "this end speaks version %d to %d of the handshake, the other one %d to %d; update the older one"
                            .formatted(mine.minVersion(), mine.maxVersion(), theirs.minVersion(), theirs.maxVersion()));
        }
        return newest;
    }

    /**
     * What this end may count on, given both hellos.
     *
     * @param version the version of the handshake that both speak
     * @param mine what this end said
     * @param theirs what the other end said
     * @return the smaller of both where both take part, what the other end takes where it receives
     * @throws HandshakeException LINK if the devices can't reach each other, CAPABILITY if one end lacks what the other
     *     one requires
     */
    public static Agreement agree(int version, Hello mine, Hello theirs) {
        checkPlace(mine.place(), theirs.place());
        checkRequired("the other end", mine.required() & ~theirs.capabilities(), "requires");
        checkRequired("this end", theirs.required() & ~mine.capabilities(), "is required by the other end to have");
        var here = mine.limits();
        var there = theirs.limits();
        return new Agreement(
                version,
                Math.min(here.mtuBytes(), there.mtuBytes()),
                Math.min(here.rdAtomic(), there.rdAtomic()),
                Math.min(here.maxMessageBytes(), there.maxMessageBytes()),
                mine.capabilities() & theirs.capabilities(),
                there);
    }

    private static void checkPlace(Place mine, Place theirs) {
        if (mine.reaches(theirs)) {
            return;
        }
        if (!mine.link().equals(theirs.link())) {
            throw new HandshakeException(
                    FailureKind.LINK,
                    "this end's device is on link %s, the other end's on link %s; open both with the same one"
                            .formatted(mine.link(), theirs.link()));
        }
        throw new HandshakeException(
                FailureKind.LINK,
                ("both devices are on link %s, but in different places (processes or hosts), and it doesn't lead from "
                                + "one to the other; open both with a link that does")
                        .formatted(mine.link()));
    }

    private static void checkRequired(String who, long missing, String verb) {
        if (missing != 0) {
            var text = who.equals("this end")
                    ? "this end %s capabilities 0x%x, which it lacks; configure both ends alike"
                    : "this end %s capabilities 0x%x, which the other end lacks; configure both ends alike";
            throw new HandshakeException(FailureKind.CAPABILITY, text.formatted(verb, missing));
        }
    }
}
