/**
 * The counters of software NICs as other processes read them: where the files are, what lies in them, what each
 * counter means. Start reading at {@link io.verbena.nic.stat.CounterFiles}.
 */
package io.verbena.nic.stat;
