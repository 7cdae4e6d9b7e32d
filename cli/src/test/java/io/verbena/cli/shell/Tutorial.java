package io.verbena.cli.shell;

import java.util.ArrayList;
import java.util.List;

/**
 * The snippets of a Markdown text: every block fenced as {@code java}, with the block fenced as {@code text} that
 * follows it, if there is one: what the snippet shows. Blocks fenced as {@code sh} are left out. Anything else is
 * refused, so that no snippet is left out by mistake.
 */
final class Tutorial {
    private static final String FENCE = "```";

    private Tutorial() {}

    /**
     * One snippet.
     *
     * @param line of its first line in the text, from 1
     * @param source its lines
     * @param shown the lines of what it shows; null when the text does not say
     */
    record Step(int line, List<String> source, List<String> shown) {}

    /** Finds all steps of a text. */
    static List<Step> steps(String markdown) {
        List<String> lines = markdown.lines().toList();
        List<Step> steps = new ArrayList<>();
        boolean mayShow = false;
        int at = 0;
        while (at < lines.size()) {
            String line = lines.get(at++);
            if (!line.startsWith(FENCE)) {
                mayShow &= line.isBlank();
                continue;
            }
            int begin = at;
            while (at < lines.size() && !lines.get(at).equals(FENCE)) {
                at++;
            }
            check(at < lines.size(), begin, "a block that never ends");
            List<String> block = lines.subList(begin, at++);
            String kind = line.substring(FENCE.length());
            switch (kind) {
                case "java" -> steps.add(new Step(begin + 1, block, null));
                case "text" -> {
                    check(mayShow, begin, "a text block that follows no snippet");
                    Step step = steps.removeLast();
                    steps.add(new Step(step.line(), step.source(), block));
                }
                default -> check(kind.equals("sh"), begin, "a block of kind \"" + kind + "\": java, text or sh");
            }
            mayShow = kind.equals("java");
        }
        return steps;
    }

    private static void check(boolean good, int line, String problem) {
        if (!good) {
            throw new IllegalArgumentException("line " + line + ": " + problem);
        }
    }
}
