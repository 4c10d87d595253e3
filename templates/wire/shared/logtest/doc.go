// Package logtest tests implementations of [shared.Log].
//
// [Run] runs all tests. What an engine cannot do is skipped by name.
package logtest
