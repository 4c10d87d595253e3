// Validation of values that this side sends. Values that it only passes on are not validated.

package wire

// AppendValid is AppendJSON for values that this side sends: it fails for empty enums and empty required URIs. An optional
// enum that may have values of any kind may be empty.
func AppendValid(dst []byte, v Appender) ([]byte, error) {
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

// Validate returns the error that [AppendValid] would return.
func Validate(v Appender) error {
	buf := borrow()
	out, err := AppendValid((*buf)[:0], v)
	giveBack(buf, out)
	return err
}

// Refuse fails if this side sends the value.
func (e *Encoder) Refuse(dst []byte, reason string) {
	if e.own {
		e.Fail(dst, reason)
	}
}
