/** Small programs to copy from. Each is one file that uses nothing but the verbs API. */
package io.verbena.examples;
