// Dispatch: by what a decoder tells the variants of a union apart.

package protocol

// Dispatch is one decision: look at a member, or at which members there are, and go on.
type Dispatch struct {
	Member string // the discriminator; "" for shaped unions
	Kind   Scalar // kind of the discriminator: String, Bool or Integer
	Cases  []*Case
	// Untagged is the tag of the variant that an object without the discriminator is, as older versions
	// write it; "" if such an object is refused.
	Untagged string
	// Absent says that the variant without the discriminator has the value "" here: an object without it is that one, and
	// so is one if it is null.
	Absent bool
	// Lenient says that a discriminator which is no string counts as a missing one, if a variant is without it.
	Lenient bool
	// Stated says that the cases have signs.
	Stated bool
}

// Sign is something that an object has.
type Sign struct {
	Member string   // its name or, with dots, the path to it
	Is     []string // the texts that it may be; empty for anything
}

// Inside is the path to the constant, in an object inside each variant, by which all cases are told apart; "" if they are
// not told apart like that.
func (d *Dispatch) Inside() string {
	path := ""
	for _, c := range d.Cases {
		if len(c.Signs) != 1 || len(c.Signs[0].Is) == 0 || path != "" && c.Signs[0].Member != path {
			return ""
		}
		path = c.Signs[0].Member
	}
	return path
}

// Case is one outcome of a decision.
type Case struct {
	// Signs are stated ones, which lead here if all are there and those of no case before are. None are what is meant otherwise.
	Signs  []Sign
	Values []Value   // values of the discriminator that lead here
	Marker string    // shaped unions: the required member that leads here
	Struct *Struct   // the variant, or
	Next   *Dispatch // a second decision if several variants share the values
}
