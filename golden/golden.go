// Package golden contains the expected output of ahpgen as txtar files. See README.md in this folder.
package golden
