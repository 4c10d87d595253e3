package usage_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/usage"
)

func TestAFlagErrorIsAUsageError(t *testing.T) {
	var err error = &usage.FlagError{Message: "two folders", Without: []string{"out"}}
	require.EqualError(t, err, "two folders")
	var general *usage.Error
	require.ErrorAs(t, err, &general)
	require.EqualError(t, general, "two folders")
	require.NotErrorIs(t, err, usage.ErrFindings)
}
