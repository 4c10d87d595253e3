// Stand-ins: what generation adds to the runtime for a protocol, for a small one to test with. This
// file is not emitted.

package runtime

// Method names a request or a notification.
type Method string

// The methods of the protocol that the tests speak.
const (
	methodOpen Method = "open"
	methodNote Method = "note" // a notification
	methodGrow Method = "grow"
)

// MethodInfo is a row of the method table.
type MethodInfo struct {
	Method Method
	Since  string
}

// LookupMethod returns the row of the table for it, if there is one.
func LookupMethod(m Method) (MethodInfo, bool) {
	switch m {
	case methodOpen, methodNote:
		return MethodInfo{m, "0.1.0"}, true
	case methodGrow:
		return MethodInfo{m, "0.3.0"}, true
	}
	return MethodInfo{}, false
}

// ErrorCode is the code of a JSON-RPC error.
type ErrorCode int64

func errorName(code ErrorCode) string {
	if code == -32001 {
		return "NotFound"
	}
	return ""
}

func knownMethod(text []byte) (Method, bool) {
	switch string(text) {
	case "open":
		return methodOpen, true
	case "note":
		return methodNote, true
	case "grow":
		return methodGrow, true
	}
	return "", false
}

// noteParams is {"text": string}.
type noteParams struct{ text string }

func (v *noteParams) decodeJSON(d *decoder) {
	seen := false
	for k := d.object(); k != nil; k = d.nextKey() {
		if string(k) == "text" {
			v.text, seen = d.string(), true
			continue
		}
		d.skip()
	}
	if !seen {
		d.missing("text")
	}
}

func (v *noteParams) AppendJSON(dst []byte) ([]byte, error) {
	return append(appendString(append(dst, `{"text":`...), v.text), '}'), nil
}

func readNotification(d *decoder, m Method) JSONAppender {
	if m != methodNote {
		return nil
	}
	v := new(noteParams)
	v.decodeJSON(d)
	return v
}

const extensionPrefix = "_"

var passThroughs = [...]passThrough{{"channel", "raw://"}}
