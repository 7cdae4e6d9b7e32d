package io.verbena.nic;

import io.verbena.verbs.DeviceSpec;
import io.verbena.verbs.VerbsException;
import java.util.Locale;
import java.util.Map;

/**
 * Settings of a software NIC, from the part of a device specification behind the question mark.
 *
 * @param progress who does what nobody asked for: {@code inline} (default) or {@code dedicated}
 */
record NicConfig(ProgressMode progress) {
    /** Who retries and flushes. */
    enum ProgressMode {
        /** Every post, poll, arm and wait. */
        INLINE,
        /** A thread of the NIC's own as well. */
        DEDICATED
    }

    static NicConfig of(DeviceSpec spec) {
        ProgressMode progress = ProgressMode.INLINE;
        for (Map.Entry<String, String> setting : spec.settings().entrySet()) {
            if (!setting.getKey().equals("progress")) {
                throw VerbsException.invalid("setting", setting.getKey(), "progress=inline or progress=dedicated");
            }
            progress = progressOf(setting.getValue());
        }
        return new NicConfig(progress);
    }

    private static ProgressMode progressOf(String value) {
        for (ProgressMode mode : ProgressMode.values()) {
            if (mode.name().toLowerCase(Locale.ROOT).equals(value)) {
                return mode;
            }
        }
        throw VerbsException.invalid("progress", value, "inline or dedicated");
    }
}
