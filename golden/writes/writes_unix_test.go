//go:build unix

// Named pipes where files should be.

package writes

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

func TestWhatIsNoFileIsNotWaitedFor(t *testing.T) {
	generate, check, bump := []string{"generate"}, []string{"check"}, []string{"bump", "--to", "next", "--force"}
	for name, commands := range map[string][][]string{
		"schema/more.schema.json": {generate, bump, check, {"lint"}, {"inspect"}, {"diff", "schema", "next"}},
		"next/more.schema.json":   {bump, {"diff", "schema", "next"}},
		"ahpgen.json":             {generate, bump, check, {"lint"}, {"inspect"}},
		"ahpgen.lock.json":        {generate, bump, check},
		"note/types_gen.go":       {generate, bump, check},
		"note/helpers.go":         {generate, bump, check},
		"note/reducers_board.go":  {generate, bump, check},
		"profile.json":            {{"generate", "--profile", "./profile.json"}, {"lint", "--profile", "./profile.json"}},
		"accepted.json": {
			{"diff", "schema", "next", "--accepted", "accepted.json"},
			{"diff", "schema", "next", "--accepted", "accepted.json", "--accept", "reason"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := builtRepository(t)
			path := filepath.Join(dir, filepath.FromSlash(name))
			_ = os.Remove(path) // most are not there
			require.NoError(t, syscall.Mkfifo(path, 0o600))
			before := filesBelow(t, dir)
			for _, args := range commands {
				type result struct {
					out  string
					code int
				}
				done := make(chan result, 1)
				go func() {
					out, code := kit.Ahpgen(args...)
					done <- result{out, code}
				}()
				select {
				case r := <-done:
					require.NotZero(t, r.code, "%v: %s", args, r.out)
					require.Contains(t, r.out, filepath.Base(name), "%v", args)
					require.Regexp(t, "no regular file|named pipe", r.out, "%v", args)
					require.Equal(t, before, filesBelow(t, dir), "%v", args)
				case <-time.After(20 * time.Second):
					t.Fatalf("%v waits", args)
				}
			}
		})
	}
}
