// HTTP: how messages travel over HTTP, in rows.

package inspect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// ReportHTTP is one fact about messages over HTTP.
type ReportHTTP struct {
	What  string `json:"what"`
	Value string `json:"value"`
}

// reportHTTP lists what is stated. There is nothing for a protocol without HTTP.
func reportHTTP(h *protocol.HTTP) (rows []ReportHTTP) {
	if h == nil {
		return nil
	}
	add := func(what string, values ...string) {
		if value := strings.Join(values, " "); value != "" {
			rows = append(rows, ReportHTTP{what, value})
		}
	}
	add("session", h.Session)
	add("version", h.Version)
	add("version in parameters", strings.Join(h.VersionAt, "."))
	add("method", h.Method)
	for _, n := range h.Names {
		add("name of "+n.Method.Name, h.Name, "=", n.Member)
	}
	if a := h.Arguments; a != nil {
		add("arguments of "+a.Method.Name, a.Prefix+"… by", a.Keyword)
	}
	add("last event", h.LastEvent)
	add("scope", h.Scope)
	for _, may := range []struct {
		what string
		is   bool
	}{{"streams by GET", h.Get}, {"end by DELETE", h.Delete}, {"events without data", h.Prime}, {"answers on streams", h.Deferred}} {
		if may.is {
			add(may.what, "yes")
		}
	}
	if h.Mismatch != 0 {
		add("header differs from body", fmt.Sprint(h.Mismatch))
	}
	if h.Refusal != nil {
		add("version is not spoken", fmt.Sprint(h.Refusal.Code))
	}
	for _, code := range slices.Sorted(maps.Keys(h.Status)) {
		add(fmt.Sprint("status of ", code), fmt.Sprint(h.Status[code]))
	}
	return rows
}
