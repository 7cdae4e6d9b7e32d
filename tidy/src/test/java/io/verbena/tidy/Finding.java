package io.verbena.tidy;

/**
 * One place that breaks a rule.
 *
 * @param where file, and line where there is one
 * @param what what is wrong there, and what to do
 */
record Finding(String where, String what) {
    @Override
    public String toString() {
        return where + ": " + what;
    }
}
