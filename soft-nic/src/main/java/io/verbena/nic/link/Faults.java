package io.verbena.nic.link;

import io.verbena.verbs.VerbsException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a {@link FaultyLink} does to packets that go out, each for a share of them from 0 to 1. The same seed and the
 * same packets give the same faults.
 *
 * @param loss not sent
 * @param dup sent twice
 * @param reorder held back until up to 8 later packets have gone, or a millisecond
 * @param damage one bit flipped, CRC included, which a receiver can tell
 * @param delay held back for up to two milliseconds
 * @param seed any number
 */
public record Faults(double loss, double dup, double reorder, double damage, double delay, long seed) {
    /** No fault at all. */
    public static final Faults NONE = new Faults(0, 0, 0, 0, 0, 0);

    private static final String SETTING = "faults";
    private static final String ALLOWED = "loss, dup, reorder, damage, delay (shares from 0 to 1) and seed (a number),"
            + " each once at most, as in loss:0.05,dup:0.02,seed:7";

    /** Checks the shares. */
    public Faults {
        share("loss", loss);
        share("dup", dup);
        share("reorder", reorder);
        share("damage", damage);
        share("delay", delay);
    }

    private static void share(String name, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw VerbsException.invalid(SETTING + " " + name, value, "a share of the packets, from 0 to 1");
        }
    }

    /**
     * Reads faults from a setting.
     *
     * @param text such as {@code loss:0.05,dup:0.02,reorder:0.05,damage:0.01,delay:0.01,seed:7}; what is not named
     *     is 0
     * @return the faults
     * @throws VerbsException EINVAL saying what is wrong and what is allowed
     */
    public static Faults parse(String text) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String part : text.split(",", -1)) {
            int colon = part.indexOf(':');
            if (colon < 1 || values.put(part.substring(0, colon), part.substring(colon + 1)) != null) {
                throw VerbsException.invalid(SETTING, "\"" + text + "\" (see \"" + part + "\")", ALLOWED);
            }
        }
        Faults faults = new Faults(number(values, "loss"), number(values, "dup"), number(values, "reorder"),
                number(values, "damage"), number(values, "delay"), seed(values));
        if (!values.isEmpty()) {
            throw VerbsException.invalid(SETTING, "about " + String.join(", ", values.keySet()), ALLOWED);
        }
        return faults;
    }

    private static double number(Map<String, String> values, String name) {
        String value = values.remove(name);
        try {
            return value == null ? 0 : Double.parseDouble(value);
        } catch (NumberFormatException e) {
            throw VerbsException.invalid(SETTING + " " + name, "\"" + value + "\"", "a share from 0 to 1");
        }
    }

    private static long seed(Map<String, String> values) {
        String value = values.remove("seed");
        try {
            return value == null ? 0 : Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw VerbsException.invalid(SETTING + " seed", "\"" + value + "\"", "a number of up to 64 bits");
        }
    }

    /** Whether there is no fault to make. */
    public boolean isNone() {
        return loss == 0 && dup == 0 && reorder == 0 && damage == 0 && delay == 0;
    }

    /** The setting that gives these. */
    @Override
    public String toString() {
        return "loss:" + loss + ",dup:" + dup + ",reorder:" + reorder + ",damage:" + damage + ",delay:" + delay
                + ",seed:" + seed;
    }
}
