// Symbols: what a finished reducer names that the package has, or that another declaration of its own
// sources is.

package finished

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Kinds of symbols.
const (
	Type         = "type"          // of a definition
	Field        = "field"         // of a definition's struct, by its name on the wire
	Whole        = "whole"         // all that a struct or an enum has: nothing may be added to it
	Const        = "const"         // value of an enum
	Unknown      = "unknown"       // what keeps unknown variants of a union
	UnknownField = "unknown field" // the tag that such a variant keeps
	Scalar       = "scalar"        // variant of a union that is no object, by its token
	Decode       = "decode"        // the decoder of a union
	Method       = "method"        // of a type, by its name
	Variants     = "variants"      // all variants of a union
	Variant      = "variant"       // that something is a variant of a union
	Convertible  = "convertible"   // that one struct converts to another
	Own          = "own"           // what the package has whatever the definitions are
	Import       = "import"        // another package
	Unit         = "unit"          // a declaration of the sources
)

// Symbol is something that is used, and what it was like where the sources were type-checked. Names
// are those of the protocol: Go names may differ from package to package.
type Symbol struct {
	Kind   string
	Type   string // the definition, path or name
	Member string
	As     string // how it is declared
	Go     string // what the sources call it, "" if they do not
}

// MarshalJSON writes a list: there are hundreds of them.
func (s Symbol) MarshalJSON() ([]byte, error) {
	return json.Marshal([]string{s.Kind, s.Type, s.Member, s.As, s.Go})
}

// UnmarshalJSON reads what [Symbol.MarshalJSON] writes.
func (s *Symbol) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("read a symbol: %w", err)
	}
	if len(list) != 5 {
		return errors.New("read a symbol: it has five parts")
	}
	*s = Symbol{list[0], list[1], list[2], list[3], list[4]}
	return nil
}

// Uses says what each declaration of the sources uses, so that nothing has to be type-checked to tell
// which go with a package. It is worked out from the sources and committed beside them. The file of an edition says what
// differs from the one before: symbols come behind those, and a declaration takes the place of the one with its name.
type Uses struct {
	Sources map[string]string `json:"sources"` // digests, by [SourceName]
	// Types are all definitions where the sources were type-checked, with their Go names where these
	// differ. A definition of another name that Go calls the same is taken for the same.
	Types   map[string]string `json:"types"`
	NoTypes []string          `json:"noTypes"` // those of the edition before that are none here
	Symbols []Symbol          `json:"symbols"`
	Units   []*Declaration    `json:"units"`
	NoUnits []string          `json:"noUnits"` // declarations of the edition before that nothing here needs
}

// Declaration is a declaration at the top of a source file. Offsets are those of bytes.
type Declaration struct {
	Name string `json:"name"` // such as Reducer.chatDelta
	File string `json:"file"` // as [SourceName] has it
	Doc  int    `json:"doc"`  // where its comment begins
	From int    `json:"from"`
	To   int    `json:"to"`
	Body int    `json:"body,omitempty"` // where the statements of a function begin, behind the brace

	// Of a reducer: the definitions of its action and state, and the action's type.
	Action string `json:"action,omitempty"`
	State  string `json:"state,omitempty"`
	Tag    string `json:"tag,omitempty"`

	// Versions are those of the protocol whose rules it follows, as a range; "" for all that declare
	// alike what it uses.
	Versions string `json:"versions,omitempty"`

	Refs  []int `json:"refs"`            // pairs: where a name is, from From on, and the index of its symbol
	Needs []int `json:"needs,omitempty"` // symbols that it rests on without naming them
}
