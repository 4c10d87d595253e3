// Tests of which hosts and origins are let in.

package site

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestKnowsHost(t *testing.T) {
	for name, test := range map[string]struct {
		local net.Addr
		host  string
		hosts []string
		want  bool
	}{
		"localhost on a loopback address":          {tcp("127.0.0.1"), "localhost:8080", nil, true},
		"another loopback address":                 {tcp("127.0.0.1"), "[::1]:8080", nil, true},
		"a name that resolves to this machine":     {tcp("127.0.0.1"), "evil.example", nil, false},
		"the address itself":                       {tcp("192.0.2.1"), "192.0.2.1:80", nil, true},
		"the address in IPv6":                      {tcp("192.0.2.1"), "[::ffff:192.0.2.1]", nil, true},
		"localhost on another address":             {tcp("192.0.2.1"), "localhost", nil, false},
		"any name over a socket without addresses": {&net.UnixAddr{Name: "/s", Net: "unix"}, "evil.example", nil, true},
		"localhost where the address is unknown":   {nil, "localhost", nil, true},
		"a stated name":                            {tcp("192.0.2.1"), "API.example.:443", []string{"api.example"}, true},
		"another name than the stated one":         {tcp("127.0.0.1"), "localhost", []string{"api.example"}, false},
		"any name":                                 {tcp("192.0.2.1"), "x", []string{"*"}, true},
		"no name":                                  {tcp("127.0.0.1"), "", []string{""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Host = test.host
			if test.local != nil {
				r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, test.local))
			}
			assert.Equal(t, test.want, KnowsHost(r, test.hosts))
		})
	}
}

func tcp(address string) net.Addr { return &net.TCPAddr{IP: net.ParseIP(address), Port: 80} }

func TestKnowsOrigin(t *testing.T) {
	for name, test := range map[string]struct {
		sent    []string
		origins []string
		want    bool
	}{
		"none, as other programs than browsers": {nil, nil, true},
		"the host itself":                       {[]string{"https://Api.example"}, nil, true},
		"the host at another port":              {[]string{"https://api.example:8443"}, nil, false},
		"a foreign page":                        {[]string{"https://evil.example"}, nil, false},
		"a page without an origin":              {[]string{"null"}, nil, false},
		"a stated origin":                       {[]string{"https://editor.example"}, []string{"https://Editor.example/"}, true},
		"any origin":                            {[]string{"https://evil.example"}, []string{"*"}, true},
		"two origins":                           {[]string{"https://api.example", "https://api.example"}, []string{"*"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Host = "api.example"
			r.Header["Origin"] = test.sent
			assert.Equal(t, test.want, KnowsOrigin(r, test.origins))
		})
	}
}
