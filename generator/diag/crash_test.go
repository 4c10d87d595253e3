// Tests of crashes: what a panic becomes.

package diag_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
)

func TestCrashNamesWhatWasWorkedOn(t *testing.T) {
	at := diag.Pos{File: "schema/a.schema.json", Line: 3, Col: 5}
	work := func() (err error) {
		var diags diag.List
		defer diags.Catch(&err)
		diags.Working(diag.Pos{File: "schema/a.schema.json", Line: 1, Col: 1})
		diags.Working(at)
		var list []int
		_ = list[len(at.File)]
		return nil
	}
	err := work()
	c := diag.AsCrash(fmt.Errorf("generate: %w", err))
	require.NotNil(t, c)
	require.Equal(t, at, c.Pos)
	require.Regexp(t, `^diag/crash_test\.go:\d+$`, c.Frame)
	require.Regexp(t, `^schema/a\.schema\.json:3:5: internal error in diag/crash_test\.go:\d+: runtime error: index out of range .*; this is a defect of ahpgen`, err.Error())
	require.Nil(t, diag.AsCrash(errors.New("something else")))
}

func TestInnermostPlaceOfACrashStays(t *testing.T) {
	var outer diag.List
	outer.Working(diag.Pos{File: "outer"})
	err := func() (err error) {
		defer outer.Catch(&err)
		panic(&diag.Crash{Pos: diag.Pos{File: "inner"}, Value: "boom"})
	}()
	require.Equal(t, diag.Pos{File: "inner"}, diag.AsCrash(err).Pos)
}

func TestNoPanicIsNoError(t *testing.T) {
	var diags diag.List
	require.NoError(t, func() (err error) {
		defer diags.Catch(&err)
		return err
	}())
}

func TestPanicOutsideOfAnyPlace(t *testing.T) {
	var diags diag.List
	err := func() (err error) {
		defer diags.Catch(&err)
		panic("boom")
	}()
	require.Regexp(t, `^internal error in diag/crash_test\.go:\d+: boom; `, err.Error())
}
