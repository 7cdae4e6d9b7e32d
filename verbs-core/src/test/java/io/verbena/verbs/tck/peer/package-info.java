/**
 * Side B of the conformance kit behind serialisable commands, and what both sides share: memory with guard bytes,
 * recipes for queue pairs, patterns, plain records of completions.
 */
package io.verbena.verbs.tck.peer;
