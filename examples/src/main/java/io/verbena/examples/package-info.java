/**
 * Small programs to copy from. Those named Async use the asynchronous API, the others nothing but the verbs API.
 */
package io.verbena.examples;
