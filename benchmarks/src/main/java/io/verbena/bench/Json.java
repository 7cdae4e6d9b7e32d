package io.verbena.bench;

import java.util.List;
import java.util.Locale;

/** Writes one JSON object on one line, field by field. */
public final class Json {
    private final StringBuilder text = new StringBuilder("{");

    /** Starts an empty object. */
    public Json() {}

    /**
     * Adds a text.
     *
     * @param name field name
     * @param value any text, or null
     * @return this
     */
    public Json put(String name, String value) {
        return raw(name, value == null ? "null" : quote(value));
    }

    /**
     * Adds a whole number.
     *
     * @param name field name
     * @param value any number
     * @return this
     */
    public Json put(String name, long value) {
        return raw(name, Long.toString(value));
    }

    /**
     * Adds a number, written without an exponent.
     *
     * @param name field name
     * @param value any finite number; others become null
     * @return this
     */
    public Json put(String name, double value) {
        return raw(name, number(value));
    }

    /**
     * Adds a truth value.
     *
     * @param name field name
     * @param value true or false
     * @return this
     */
    public Json put(String name, boolean value) {
        return raw(name, Boolean.toString(value));
    }

    /**
     * Adds an object.
     *
     * @param name field name
     * @param value the object
     * @return this
     */
    public Json put(String name, Json value) {
        return raw(name, value.toString());
    }

    /**
     * Adds a list of objects.
     *
     * @param name field name
     * @param values the objects
     * @return this
     */
    public Json put(String name, List<Json> values) {
        return raw(name, values.toString());
    }

    private Json raw(String name, String value) {
        text.append(text.length() == 1 ? "" : ", ").append(quote(name)).append(": ").append(value);
        return this;
    }

    private static String number(double value) {
        if (!Double.isFinite(value)) {
            return "null";
        }
        return String.format(Locale.ROOT, Math.abs(value) >= 1_000 ? "%.1f" : "%.9f", value);
    }

    private static String quote(String value) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    /** The object on one line. */
    @Override
    public String toString() {
        return text + "}";
    }
}
