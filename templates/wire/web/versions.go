// Versions: servers and clients that speak one of several, or another dialect before it.

package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Unsupported is the error for a version that a server does not accept.
type Unsupported struct {
	Code int64
	// Supported and Requested are members of its data: the versions that the server accepts, and the one of the request.
	Supported, Requested string
}

// version checks the version of a request, which its header repeats.
func (d *Dialect) version(h http.Header, m *rpc.Message) *rpc.Error {
	if d.Version == "" || d.VersionAt == nil {
		return nil
	}
	version, there := at(m.Params, d.VersionAt...)
	switch {
	case !there && len(h.Values(d.Version)) == 0:
		return nil // the handler knows whether the body needs it
	case !there:
		return &rpc.Error{Code: int64(rpc.InvalidParams), Message: "invalid params: the version is missing at " + strings.Join(d.VersionAt, ".")}
	}
	if err := d.same(h, d.Version, version, true); err != nil {
		return err
	}
	if len(d.Versions) == 0 || slices.Contains(d.Versions, version) {
		return nil
	}
	return d.unsupported(version, d.Versions)
}

// unsupported returns the error for a version.
func (d *Dialect) unsupported(version string, versions []string) *rpc.Error {
	err := &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "unsupported version; supported are " + strings.Join(versions, ", ")}
	if u := d.Unsupported; u != nil {
		err.Code = u.Code
		err.Data, _ = json.Marshal(map[string]any{u.Supported: versions, u.Requested: version}) // of texts
	}
	return err
}

// Supported returns the versions that a server accepts, if err is its refusal of the version of a request.
func (d *Dialect) Supported(err error) (versions []string, ok bool) {
	var answer *rpc.Error
	if d.Unsupported == nil || !errors.As(err, &answer) || answer.Code != d.Unsupported.Code {
		return nil, false
	}
	value, ok := member(answer.Data, d.Unsupported.Supported)
	return versions, ok && json.Unmarshal(value, &versions) == nil
}

// Foreign reports whether err, of a request that every server of this dialect answers, says that the server does not know the
// dialect, and may know an older one: it has refused the request without an error that only servers of this dialect give.
// It is false where the server was not reached, has failed, or wants another authorization.
func (d *Dialect) Foreign(err error) bool {
	var refused *StatusError
	if errors.As(err, &refused) {
		switch refused.Status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
			return false
		}
		return refused.Status/100 == 4 && (refused.Answer == nil || !d.has(refused.Answer.Code))
	}
	var answer *rpc.Error
	return errors.As(err, &answer) && !d.has(answer.Code)
}

// has reports whether a code is of the dialect, and not of JSON-RPC.
func (d *Dialect) has(code int64) bool {
	_, stated := d.Status[code]
	stated = stated || code == d.Mismatch || d.Unsupported != nil && code == d.Unsupported.Code
	return stated && (code < -32768 || code > -32600)
}

// older reports whether a request is for [Handler.Older]: neither its body nor its header has a version of the dialect.
func (h *Handler) older(r *http.Request, data []byte) bool {
	d := h.Dialect.orNone()
	if d.VersionAt != nil {
		if _, there := at(data, append([]string{"params"}, d.VersionAt...)...); there {
			return false
		}
	}
	return d.Version == "" || !slices.Contains(d.Versions, r.Header.Get(d.Version))
}
