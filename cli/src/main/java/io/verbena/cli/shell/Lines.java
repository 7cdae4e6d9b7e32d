package io.verbena.cli.shell;

import java.util.AbstractList;
import java.util.List;
import java.util.function.Function;

/** An unmodifiable list whose text has a line for each element, so that the shell shows it readably. */
final class Lines<T> extends AbstractList<T> {
    private final String what;
    private final List<T> elements;
    private final Function<T, String> text;

    /** Shows elements of a kind, {@code what} in the singular, by a function that gives one line. */
    Lines(String what, List<T> elements, Function<T, String> text) {
        this.what = what;
        this.elements = List.copyOf(elements);
        this.text = text;
    }

    @Override
    public T get(int index) {
        return elements.get(index);
    }

    @Override
    public int size() {
        return elements.size();
    }

    @Override
    public String toString() {
        if (elements.isEmpty()) {
            return "no " + what;
        }
        StringBuilder lines = new StringBuilder(size() + " " + what + (size() == 1 ? "" : "s"));
        elements.forEach(element -> lines.append("\n  ").append(text.apply(element)));
        return lines.toString();
    }
}
