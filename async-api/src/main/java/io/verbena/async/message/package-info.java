/**
 * What is inside messages between two ends, and who may send how many. Pure: knows no connection and no memory pool.
 */
package io.verbena.async.message;
