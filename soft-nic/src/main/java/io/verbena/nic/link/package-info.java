/**
 * Ways for packets between NICs: over UDP sockets of the system or of Java ({@link io.verbena.nic.link.PacketLinks}),
 * and a link around another that loses, doubles and damages on purpose.
 */
package io.verbena.nic.link;
