package io.verbena.cli.shell;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Compares what a snippet printed with what the tutorial shows. Lines must be equal but for blanks at their end; what
 * stands between « and » in a shown line stands for any text of one character or more.
 */
final class ShownOutput {
    private ShownOutput() {}

    /** What is wrong with the output; empty when it is as shown. */
    static String difference(List<String> shown, List<String> printed) {
        for (int i = 0; i < Math.max(shown.size(), printed.size()); i++) {
            String wanted = i < shown.size() ? shown.get(i).stripTrailing() : null;
            String got = i < printed.size() ? printed.get(i).stripTrailing() : null;
            if (wanted == null || got == null || !pattern(wanted).matcher(got).matches()) {
                return "output line " + (i + 1) + "\n  shown:   " + wanted + "\n  printed: " + got;
            }
        }
        return "";
    }

    private static Pattern pattern(String line) {
        StringBuilder regex = new StringBuilder();
        int at = 0;
        for (int open; (open = line.indexOf('«', at)) >= 0; ) {
            int close = line.indexOf('»', open);
            if (close < 0) {
                throw new IllegalArgumentException("« without » in: " + line);
            }
            regex.append(Pattern.quote(line.substring(at, open))).append(".+");
            at = close + 1;
        }
        return Pattern.compile(regex.append(Pattern.quote(line.substring(at))).toString());
    }
}
