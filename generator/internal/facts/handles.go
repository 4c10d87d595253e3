// Handles: things of a protocol that one request opens and others name.

package facts

// Handle states what has an id that requests of a side repeat.
type Handle struct {
	Origin  `json:"-"`
	Name    string   // Go name
	Of      string   // the side that has it
	IDs     []string // parameters of its requests
	Opens   string   // request that makes one, or ""
	Turns   []string // its requests during which updates come
	Updates string   // notification of the other side, or ""
}

// Constructor states a function that makes a value from parameters.
type Constructor struct {
	Origin      `json:"-"`
	Name        string // Go name
	Of          string // definition
	Description string
	Parameters  []string
	Value       any // JSON in which texts such as "$name" stand for parameters
}
