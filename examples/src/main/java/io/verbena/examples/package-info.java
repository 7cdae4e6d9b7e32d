/** Small programs to copy from. They use nothing but the verbs API. */
package io.verbena.examples;
