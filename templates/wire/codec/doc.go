// Package codec has the functions that the codecs of generated types are made of. Programs do not call it: they use the
// generated types and package wire.
package codec

import "github.com/ahpgen/ahpgen/templates/wire"

// decodes is a pointer to a struct that decodes itself.
type decodes[T any] interface {
	*T
	wire.Decodable
}

const (
	outOfRange = "number out of range"
	// fewKeys is up to how many keys a map is encoded without allocating.
	fewKeys = 16
)
