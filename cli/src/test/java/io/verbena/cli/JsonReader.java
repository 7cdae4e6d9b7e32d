package io.verbena.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A strict reader of JSON for tests: objects become maps in order, lists become lists, numbers doubles. */
final class JsonReader {
    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    /** Reads one object; anything before or after it is an error. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> object(String line) {
        JsonReader reader = new JsonReader(line);
        Object value = reader.value();
        reader.blanks();
        if (reader.at != line.length() || !(value instanceof Map)) {
            throw reader.error("one object");
        }
        return (Map<String, Object>) value;
    }

    private Object value() {
        blanks();
        char c = text.charAt(at);
        return switch (c) {
            case '{' -> map();
            case '[' -> list();
            case '"' -> string();
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        expect('{');
        if (!skip('}')) {
            do {
                blanks();
                String name = string();
                expect(':');
                if (map.containsKey(name)) {
                    throw error("each name once");
                }
                map.put(name, value());
            } while (skip(','));
            expect('}');
        }
        return map;
    }

    private List<Object> list() {
        List<Object> list = new ArrayList<>();
        expect('[');
        if (!skip(']')) {
            do {
                list.add(value());
            } while (skip(','));
            expect(']');
        }
        return list;
    }

    private String string() {
        expect('"');
        StringBuilder string = new StringBuilder();
        while (text.charAt(at) != '"') {
            char c = text.charAt(at++);
            if (c == '\\') {
                c = text.charAt(at++);
                if (c == 'u') {
                    c = (char) Integer.parseInt(text.substring(at, at + 4), 16);
                    at += 4;
                }
            }
            string.append(c);
        }
        at++;
        return string.toString();
    }

    private Double number() {
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        if (start == at) {
            throw error("a value");
        }
        return Double.valueOf(text.substring(start, at));
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw error(word);
        }
        at += word.length();
        return value;
    }

    private void blanks() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
    }

    private boolean skip(char c) {
        blanks();
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private void expect(char c) {
        if (!skip(c)) {
            throw error("'" + c + "'");
        }
    }

    private IllegalArgumentException error(String expected) {
        return new IllegalArgumentException("expected " + expected + " at " + at + " of: " + text);
    }
}
