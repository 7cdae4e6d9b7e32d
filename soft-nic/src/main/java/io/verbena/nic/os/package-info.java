/** The few things of Linux that Java does not offer: memory files, sockets that carry descriptors, futexes. */
package io.verbena.nic.os;
