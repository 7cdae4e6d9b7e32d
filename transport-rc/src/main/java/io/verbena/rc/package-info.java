/**
 * The protocol engine of RoCEv2: reliable and unreliable connections and datagrams as state machines. Packets, work and
 * time come in; packets, completions and deadlines go out. Nothing here knows a clock, a thread or a socket.
 *
 * <p>{@link io.verbena.rc.RcConnection} is where to start; {@link io.verbena.rc.Host} is what its owner provides.
 */
package io.verbena.rc;
