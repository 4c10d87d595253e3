// Sending: values that are refused in what this side says, and pass in what it hands on.

package wire

// AppendSent is AppendJSON for what this side sends: enums, and URIs that must be there, are errors if they are empty. So is not an
// enum that may have values of any kind, unless it must be there.
func AppendSent(dst []byte, v Appender) ([]byte, error) {
	if IsNil(v) {
		return dst, &EncodeError{reason: missingValue}
	}
	own, ok := v.(Encodable)
	switch {
	case !ok:
		return v.AppendJSON(dst)
	case dst == nil:
		return appendFresh(own, true)
	}
	return appendTo(dst, own, true)
}

// Sendable returns the error that AppendSent would have.
func Sendable(v Appender) error {
	buf := borrow()
	out, err := AppendSent((*buf)[:0], v)
	giveBack(buf, out)
	return err
}

// Refuse fails if this side sends the value.
func (e *Encoder) Refuse(dst []byte, reason string) {
	if e.own {
		e.Fail(dst, reason)
	}
}
