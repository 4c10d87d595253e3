// Texts without package unsafe: a delta copies the existing text.

//go:build purego

package state

// Texts appends to texts. The zero value is ready to use.
type Texts struct{}

// Append returns old with more behind it.
func (*Texts) Append(old, more string) string { return old + more }
