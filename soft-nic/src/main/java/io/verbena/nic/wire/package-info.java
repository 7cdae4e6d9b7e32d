/**
 * The way to peers on other hosts: queue pairs that packets reach. {@link io.verbena.nic.wire.NicLoop} takes and
 * sends packets, {@link io.verbena.nic.wire.WiredPair} joins the rings of a queue pair to the protocol engine of
 * transport-rc.
 */
package io.verbena.nic.wire;
