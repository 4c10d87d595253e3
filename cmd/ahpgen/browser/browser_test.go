package browser_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/browser"
)

func TestEachSystemHasItsCommand(t *testing.T) {
	for _, c := range []struct {
		system, chosen string
		want           []string
	}{
		{"linux", "", []string{"xdg-open", "u"}},
		{"darwin", "", []string{"open", "u"}},
		{"windows", "", []string{"rundll32", "url.dll,FileProtocolHandler", "u"}},
		{"linux", "firefox --new-window", []string{"firefox", "--new-window", "u"}},
	} {
		name, args := browser.Command(c.system, c.chosen, "u")
		require.Equal(t, c.want, append([]string{name}, args...))
	}
}
