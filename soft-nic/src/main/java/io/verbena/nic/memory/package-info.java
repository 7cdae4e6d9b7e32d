/**
 * Off-heap memory as the NIC uses it: raw access, blocks for rings, regions under keys, and the barriers that let
 * control calls wait for data calls without slowing them.
 */
package io.verbena.nic.memory;
