// Usage: mistakes in how ahpgen was called, and what to say instead.

package generator

import "github.com/ahpgen/ahpgen/generator/internal/usage"

// ErrFindings says that diagnostics hold what is wrong; nothing was produced.
var ErrFindings = usage.ErrFindings

// UsageError is a mistake in how ahpgen was called or configured.
type UsageError = usage.Error

// FlagError is a mistake that another value of a flag mends, or leaving some out.
type FlagError = usage.FlagError
