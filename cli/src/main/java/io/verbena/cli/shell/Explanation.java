package io.verbena.cli.shell;

import io.verbena.verbs.Errno;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.TreeMap;

/** Explains the numbers that posting, polling, arming and completions give. */
final class Explanation {
    /** The codes of {@link PostStatus} by number, with the names of their constants. */
    private static final Map<Integer, String> NAMES = names();

    private Explanation() {}

    private static Map<Integer, String> names() {
        Map<Integer, String> names = new TreeMap<>();
        for (Field field : PostStatus.class.getFields()) {
            if (field.getType() == int.class) {
                try {
                    names.put(field.getInt(null), field.getName());
                } catch (IllegalAccessException e) {
                    throw new AssertionError("a public constant can't be read", e);
                }
            }
        }
        return names;
    }

    /** What a number means that posting, polling or arming returned. */
    static String of(int status) {
        String name = NAMES.get(status);
        if (name != null) {
            Errno errno = PostStatus.errno(status);
            return "PostStatus." + name + (errno == null ? "" : " (" + status + ", in libibverbs " + errno + ")") + ": "
                    + PostStatus.describe(status);
        }
        String codes = "no code of PostStatus, whose codes are " + NAMES.keySet().iterator().next() + " to 0";
        if (status < 0) {
            return status + " is " + codes;
        }
        WcStatus ofCompletion = WcStatus.ofCode(status);
        return status + " is " + codes + "; when a poll returns it, it is how many completions were taken"
                + (ofCompletion == null ? "" : "; as the statusCode of a completion it is " + of(ofCompletion));
    }

    /** What became of a completed work request; null is what a poll answers when there is none. */
    static String of(WorkCompletion completion) {
        return completion == null ? "there is no completion"
                : "wrId " + completion.wrId() + " ended in " + of(completion.status());
    }

    private static String of(WcStatus status) {
        return status + " (" + status.text() + "): " + status.advice();
    }
}
