// Sending: values that are refused in what this side says, and pass in what it hands on.

package wire

// A value that is wrong is best refused where it was made. But what a peer sent is to encode as it came, whatever it has in it,
// because others may know what to do with it. So an encoder refuses these values only if it is told that the message is one of
// this side.
const (
	missingEnum = "missing: the enum has no value"
	missingURI  = "missing: the URI is empty"
)

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

// AppendEnum appends a value of an enum that an empty text is none of.
//
//go:noinline
func AppendEnum(dst []byte, e *Encoder, key, v string) []byte {
	dst = append(dst, key...)
	if v == "" {
		e.refuse(dst, missingEnum)
	}
	return appendString(dst, v)
}

// PutEnum appends an optional one.
//
//go:noinline
func PutEnum(dst []byte, e *Encoder, key string, v *string) []byte {
	if v == nil {
		return dst
	}
	return AppendEnum(dst, e, key, *v)
}

// EnumItem appends one in a list or map.
func EnumItem[S ~string](v S, dst []byte, e *Encoder) []byte {
	return AppendEnum(dst, e, "", string(v))
}

// AppendURI appends a URI that must be there.
//
//go:noinline
func AppendURI(dst []byte, e *Encoder, key, v string) []byte {
	dst = append(dst, key...)
	if v == "" {
		e.refuse(dst, missingURI)
	}
	return appendString(dst, v)
}

// refuse fails if this side sends the value.
func (e *Encoder) refuse(dst []byte, reason string) {
	if e.own {
		e.Fail(dst, reason)
	}
}
