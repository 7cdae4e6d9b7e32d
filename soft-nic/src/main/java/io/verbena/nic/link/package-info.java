/** Ways for packets between NICs: what every link does, and links that lose, double and damage on purpose. */
package io.verbena.nic.link;
