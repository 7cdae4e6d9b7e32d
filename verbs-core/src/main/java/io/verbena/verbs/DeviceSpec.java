package io.verbena.verbs;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A device and its settings as text: {@code NAME} or {@code NAME?key=value&key=value}, for example
 * {@code soft?progress=inline}. NAME is a provider's or a device's name.
 *
 * @param name what comes before the question mark
 * @param settings what comes after, in order; unmodifiable
 */
public record DeviceSpec(String name, Map<String, String> settings) {
    /** Copies the settings. */
    public DeviceSpec {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    /**
     * Reads a specification.
     *
     * @param text {@code NAME} or {@code NAME?key=value&key=value}
     * @return the specification
     * @throws VerbsException EINVAL when it is not of this form or names a key twice
     */
    public static DeviceSpec parse(String text) {
        if (text == null) {
            throw malformed("null");
        }
        int question = text.indexOf('?');
        String name = question < 0 ? text : text.substring(0, question);
        Map<String, String> settings = new LinkedHashMap<>();
        if (question >= 0) {
            for (String pair : text.substring(question + 1).split("&", -1)) {
                int equals = pair.indexOf('=');
                if (equals < 1 || settings.put(pair.substring(0, equals), pair.substring(equals + 1)) != null) {
                    throw malformed(text);
                }
            }
        }
        if (name.isBlank()) {
            throw malformed(text);
        }
        return new DeviceSpec(name, settings);
    }

    private static VerbsException malformed(String text) {
        return VerbsException.invalid("device specification", '"' + text + '"',
                "NAME or NAME?key=value&key=value with each key once, for example soft?progress=inline");
    }
}
