// Versions: requests that state the version that they are of.

package typed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// CheckVersion refuses a request of a version that is not supported. One without a version is left to its decoder, unless its method
// is unknown: older clients may begin with such a request, and learn the versions from the error.
func CheckVersion(m *rpc.Message, t *spec.Table) error {
	if m.Kind != rpc.Request {
		return nil
	}
	supported := t.Stated.Supported
	version, ok := textAt(m.Params, t.Stated.At)
	switch {
	case !ok:
		if _, known := t.Known([]byte(m.Method)); known {
			return nil
		}
		return &rpc.Error{
			Code:    int64(rpc.MethodNotFound),
			Message: fmt.Sprintf("method not found: %q; supported versions are %s", m.Method, strings.Join(supported, ", ")),
		}
	case slices.Contains(supported, version):
		return nil
	}
	data, _ := json.Marshal(map[string]any{t.Stated.Accepted: supported, t.Stated.Requested: version}) // of texts
	return &rpc.Error{Code: t.Stated.Code, Message: "unsupported version; supported are " + strings.Join(supported, ", "), Data: data}
}

// textAt returns the text at a path of a JSON object.
func textAt(object json.RawMessage, path []string) (text string, ok bool) {
	d := wire.NewDecoder(object)
	for i, name := range path {
		if d.Kind() != '{' {
			return "", false
		}
		k := d.Object()
		for ; k != nil && string(k) != name; k = d.NextKey() {
			d.Skip()
		}
		if k == nil {
			return "", false
		}
		if i == len(path)-1 && d.Kind() == '"' {
			text = d.Str()
			return text, !d.Failed()
		}
	}
	return "", false
}
