// Package site guards servers that browsers can reach: the host against DNS rebinding, the origin against foreign pages.
package site

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// KnowsHost reports whether the Host header of a request names this server: one of hosts, "*" for any. Without hosts it is the
// address that the request came in on, or any name of this machine if that is a loopback address. Without IP it is any name.
func KnowsHost(r *http.Request, hosts []string) bool {
	name := hostname(r.Host)
	if len(hosts) > 0 {
		for _, known := range hosts {
			if known == "*" || name != "" && name == hostname(known) {
				return true
			}
		}
		return false
	}
	address, _ := netip.ParseAddr(name)
	address = address.Unmap()
	loopback := name == "localhost" || address.IsLoopback()
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil {
		return loopback
	}
	own, err := netip.ParseAddrPort(local.String())
	switch {
	case err != nil: // browsers cannot be led here by a name
		return true
	case own.Addr().Unmap().IsLoopback():
		return loopback
	}
	return address == own.Addr().Unmap().WithZone("")
}

// hostname returns a normalized name or address without port and brackets.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if address, err := netip.ParseAddr(host); err == nil {
		return address.Unmap().WithZone("").String()
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// KnowsOrigin reports whether a request has no origin, as those of other programs than browsers, or an allowed one: that of the
// host itself, or one of origins, "*" for any.
func KnowsOrigin(r *http.Request, origins []string) bool {
	sent := r.Header["Origin"]
	if len(sent) == 0 {
		return true
	}
	if len(sent) > 1 {
		return false
	}
	for _, known := range origins {
		if known == "*" || strings.EqualFold(strings.TrimSuffix(known, "/"), sent[0]) {
			return true
		}
	}
	page, err := url.Parse(sent[0])
	return err == nil && page.Host != "" && strings.EqualFold(page.Host, r.Host)
}
