/**
 * Where software NICs count: {@link io.verbena.nic.counters.NicCounters} for a device,
 * {@link io.verbena.nic.counters.QueuePairCounters} for a queue pair. Other processes read it, see
 * {@link io.verbena.nic.stat.CounterFileLayout}.
 */
package io.verbena.nic.counters;
