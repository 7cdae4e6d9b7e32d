/**
 * The protocol engine under every kind of network, from seeds. {@link io.verbena.sim.Sim} is the way in; the rest draws
 * scenarios, carries packets, and checks what must hold (O1 to O10 of the project's reliability rules).
 */
package io.verbena.sim;
