/**
 * Registered memory from the inside: slabs and how they are cut up, loans of ranges to operations in flight, and what
 * peers may reach. Knows no type of {@code io.verbena}.
 */
package io.verbena.async.memory;
