// Package random makes random values that satisfy constraints, for tests. The packages of random values that are
// generated beside others are made of it.
//
// Values are drawn from a [Source]: a *rand.Rand with a seed, the bytes of a fuzz test ([Bytes]), or the numbers of a
// library for property-based tests. A source of zeros yields minimal values, and smaller numbers yield smaller values, so
// whatever makes numbers smaller shrinks values as well. [Shrink] does so.
package random
