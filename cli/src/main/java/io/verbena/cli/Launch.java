package io.verbena.cli;

import java.util.List;

/** What is launched in each turn of a comparison; its figures and how they are shown. */
interface Launch {
    /** What people read. */
    String title();

    /** What machines read. */
    String label();

    /** Whether it is a rate, else a time. */
    boolean isRate();

    /** Whether this program measures it; else UCX does. */
    boolean isOurs();

    /** Whether it uses verbs, whose data path must not allocate; others are what verbs are compared with. */
    boolean usesVerbs();

    /** The words of the command, with options for all. */
    List<String> words(List<String> options);
}
