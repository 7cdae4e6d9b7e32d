/**
 * The rings of the software NIC: work queue entries, completion lanes and the completion queue that merges them.
 * Layouts are classes of named offsets; every memory order is commented where it is used.
 */
package io.verbena.nic.ring;
