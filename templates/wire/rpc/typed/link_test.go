package typed

import (
	"context"
	"strconv"
	"strings"
	"testing"
)

// quiet fails where an error has more of a peer's text than it needs, or what a terminal takes for a command.
func quiet(t *testing.T, about string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", about)
		return
	}
	text := err.Error()
	if len(text) > 1<<10 || strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		t.Errorf("%s: %d bytes: %.200q", about, len(text), text)
	}
}

func TestErrorsOfLinksHoldLittleOfAName(t *testing.T) {
	for name, text := range map[string]string{
		"colours": strings.Repeat("\x1b[31m", 1<<15), "lines": strings.Repeat("a\n", 1<<16), "letters": strings.Repeat("a", 1<<17),
		"turned around": strings.Repeat("\u202e", 1<<15), "wide": strings.Repeat("\U0001F600", 1<<15), "invalid": strings.Repeat("\xff", 1<<17),
	} {
		link, err := NewLink(&script{err: busy}, &small).AtVersion("1.0.0")
		check(t, err, error(nil))
		quiet(t, name+": gate", link.checkMethod(text))
		_, err = link.PassThrough(context.Background(), text, nil)
		quiet(t, name+": passed through", err)
		_, err = link.CallExtension(context.Background(), text, nil)
		quiet(t, name+": extension", err)
		_, err = link.CallExtension(context.Background(), "_"+text, nil)
		quiet(t, name+": refused extension", err)
	}
}

func TestNoLinkIsAtAMalformedVersion(t *testing.T) {
	_, err := NewLink(nil, &small).AtVersion("1.0")
	check(t, text(err), `version "1.0" is not of the form MAJOR.MINOR.PATCH`)
}
