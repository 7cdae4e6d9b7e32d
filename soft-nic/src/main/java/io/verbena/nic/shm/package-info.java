/**
 * How NICs of two processes reach each other's memory: who wants to use a NIC attaches to it through a Unix-domain
 * socket and is handed memory files. An attachment has a direction: the owner of memory serves, the user asks. Two NICs
 * whose queue pairs send both ways have one attachment each way.
 */
package io.verbena.nic.shm;
