/**
 * The software NIC: its control plane, which validates everything once, and the verbs objects over the rings and the
 * direct engine. Found through ServiceLoader; programs see {@code io.verbena.verbs} only.
 */
package io.verbena.nic;
