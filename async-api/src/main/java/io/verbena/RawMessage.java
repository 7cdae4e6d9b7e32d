package io.verbena;

/**
 * What a receive of a connection without frames got. Its bytes lie at the beginning of the memory that was given to it.
 *
 * @param length bytes that arrived, exactly; 0 for a WRITE with immediate data, which arrives somewhere else
 * @param hasImmediate whether immediate data came
 * @param immediate those, 32 bits as the sender gave them
 */
public record RawMessage(long length, boolean hasImmediate, int immediate) {}
