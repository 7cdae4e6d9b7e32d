/**
 * The memory table: which key opens which memory to whom, and the range check. Deterministic; random keys come from
 * a source that the caller passes in.
 */
package io.verbena.rc.memory;
