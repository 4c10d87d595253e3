// Package golden holds what ahpgen is expected to print and emit, as txtar files that a reviewer
// reads from top to bottom. See README.md in this folder.
package golden
