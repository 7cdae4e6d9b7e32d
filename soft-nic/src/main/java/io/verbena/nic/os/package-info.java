/** The few things of Linux that Java lacks: memory files, sockets that carry descriptors, sleep, advice about pages. */
package io.verbena.nic.os;
