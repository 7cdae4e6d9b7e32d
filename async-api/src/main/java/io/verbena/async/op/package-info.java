/** Operations in flight, who drives their completions, and who waits for them. Knows no public type of the API. */
package io.verbena.async.op;
