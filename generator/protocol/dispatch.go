// Dispatch: how a decoder distinguishes the variants of a union.

package protocol

import "slices"

// Dispatch is a decision on the value of a member, or on which members are present.
type Dispatch struct {
	Member string // the discriminator; "" if presence decides
	Kind   Scalar // kind of the discriminator: String, Bool or Integer
	Cases  []*Case
	// Untagged is the tag implied if the discriminator is missing, as in messages of older versions; "" if that is an
	// error.
	Untagged string
	// Absent reports whether the value "" stands for a missing discriminator, or a null one. It is that of the variant
	// without it, if there is one.
	Absent bool
	// Lenient reports whether a discriminator that is not a string counts as missing, if a variant lacks it.
	Lenient bool
	// Stated reports whether the cases have stated signs.
	Stated bool
}

// Sign is a property of an object.
type Sign struct {
	Member string   // name or dotted path
	Is     []string // allowed texts; empty for any
}

// Inside is the path of a constant within a nested object that distinguishes all cases, or "".
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

// IsPartial reports whether objects without the discriminator are of no variant.
func (d *Dispatch) IsPartial() bool {
	none := Value{Kind: String}
	return d.Absent && !slices.ContainsFunc(d.Cases, func(c *Case) bool { return slices.Contains(c.Values, none) })
}

// General returns the variant of all objects whose discriminator is none of the values of the others, or nil.
func (d *Dispatch) General() *Struct {
	if d == nil || d.Member == "" || len(d.Cases) == 0 {
		return nil
	}
	if last := d.Cases[len(d.Cases)-1]; len(last.Values) == 0 {
		return last.Struct
	}
	return nil
}

// Case is an outcome of a decision.
type Case struct {
	// Signs are the stated signs of the case, which applies if all are present and no earlier case does. Without
	// signs it is the default.
	Signs  []Sign
	Values []Value   // discriminator values of the case; none for the general variant, the last case of a decision by a member
	Marker string    // the required member that identifies the case
	Struct *Struct   // the variant, or
	Next   *Dispatch // a further decision between variants with the same values
}
