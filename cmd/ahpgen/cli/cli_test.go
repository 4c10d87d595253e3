// Tests of what every command does at its end.

package cli

import (
	"bytes"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/visible"
)

func TestPanicInACommandIsAnErrorWithAPlace(t *testing.T) {
	var stdout, stderr bytes.Buffer
	a := &app{stdout: &visible.Writer{To: &stdout}, stderr: &visible.Writer{To: &stderr}, started: true}
	cmd := &cobra.Command{SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error {
		a.diags.Errorf(diag.Pos{File: "schema/a.schema.json", Line: 1, Col: 1}, "test", "", "found before")
		a.diags.Working(diag.Pos{File: "schema/a.schema.json", Line: 3, Col: 5})
		panic("out of cheese")
	}}
	cmd.SetArgs(nil)
	require.Equal(t, exitIO, a.finish(a.execute(cmd)))
	require.NoError(t, a.stderr.Flush())
	require.Empty(t, stdout.String())
	require.Regexp(t, `^schema/a\.schema\.json:1:1: found before
ahpgen: schema/a\.schema\.json:3:5: internal error in cli/cli_test\.go:\d+: out of cheese; this is a defect of ahpgen, please report it together with the schema
$`, stderr.String())
}
