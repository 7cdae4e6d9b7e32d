/**
 * The {@code verbena} command: reads and checks options, runs what {@link io.verbena.bench} and
 * {@link io.verbena.verbs} offer, prints for people or, with --json, for machines.
 */
package io.verbena.cli;
