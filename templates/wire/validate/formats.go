// Formats: texts of a certain form.

package validate

import (
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Format requires a text to have a format. Unknown formats are ignored.
func (c *Checker) Format(s, format string) {
	if !IsFormat(s, format) {
		c.Fail("format "+format, wire.Excerpt(s))
	}
}

// IsFormat reports whether a text has a format, or the format is unknown.
func IsFormat(s, format string) bool {
	has, known := formats[format]
	return !known || has(s)
}

var formats = map[string]func(string) bool{
	"date-time": func(s string) bool { return parses(time.RFC3339Nano, strings.ToUpper(s)) },
	"date":      func(s string) bool { return parses(time.DateOnly, s) },
	"time":      func(s string) bool { return parses("15:04:05.999999999Z07:00", strings.ToUpper(s)) },
	"uri":       isURI,
	"uuid":      isUUID,
	"email":     isEmail,
	"ipv4":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
	"ipv6":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" },
	"hostname":  isHostname,
}

func parses(layout, s string) bool {
	_, err := time.Parse(layout, strings.Replace(s, ":60", ":59", 1)) // a leap second
	return err == nil
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.IsAbs()
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, r := range []byte(s) {
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if r != '-' {
				return false
			}
		case !strings.ContainsRune("0123456789abcdefABCDEF", rune(r)):
			return false
		}
	}
	return true
}

func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Name == "" && a.Address == s
}

func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if s == "" || len(s) > 253 {
		return false
	}
	for _, label := range strings.Split(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, r := range []byte(label) {
			if r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
				return false
			}
		}
	}
	return true
}
