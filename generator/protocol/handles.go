// Handles: things of a protocol that one request opens and others name.

package protocol

import "github.com/ahpgen/ahpgen/generator/diag"

// Handle is what has ids that requests and notifications of a side repeat, such as a conversation.
type Handle struct {
	Name    string
	Of      Side
	IDs     []string  // parameters
	Opens   *Method   // makes one; nil if nothing does
	Methods []*Method // with the ids, but not with those of a handle that has more of them
	Turns   []*Method // of these, requests during which updates come
	Updates *Method   // notification of the other side, or nil
	Pos     diag.Pos
}

// Constructor is a function that makes a value from parameters.
type Constructor struct {
	Name       string
	Of         Type
	Doc        string
	Parameters []string
	Value      any // JSON, as package encoding/json decodes it, in which texts such as "$name" stand for parameters
	Pos        diag.Pos
}
