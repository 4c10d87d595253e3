package facts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/facts"
)

// TestTheFirstSourceComesFirst: of what two sources say about the same thing, the first counts.
func TestTheFirstSourceComesFirst(t *testing.T) {
	first := &facts.Facts{
		Name:     "own",
		Versions: facts.Versions{Supported: []string{"1.0.0"}},
		Names:    []*facts.Name{{At: "A", Name: "First"}, {At: "A", Name: "Again"}},
		Unions:   []*facts.Union{{Union: "U", Tag: "First"}},
		Channels: []*facts.Channel{{Name: "chat", URI: "first"}},
		Methods:  []*facts.Method{{Name: "ask", Params: "First"}},
		Codes:    []*facts.Code{{Code: -1, Name: "first"}},
		Actions:  &facts.Actions{Union: "First"},
	}
	second := &facts.Facts{
		Name: "other", Title: "Other",
		Versions:    facts.Versions{Supported: []string{"2.0.0"}},
		Initialisms: []string{"URL"},
		Names:       []*facts.Name{{At: "A", Name: "Second"}, {At: "B", Name: "Second"}},
		Unions:      []*facts.Union{{Union: "U", Tag: "Second"}},
		Channels:    []*facts.Channel{{Name: "chat", URI: "second"}, {Name: "logs"}, {Name: "logs"}},
		Methods:     []*facts.Method{{Name: "ask", Params: "Second"}, {Name: "tell"}},
		Codes:       []*facts.Code{{Code: -1, Name: "second"}, {Code: -2}},
		Actions:     &facts.Actions{Union: "Second"},
		Handshake:   &facts.Handshake{Method: "open"},
	}
	require.Equal(t, &facts.Facts{
		Name: "own", Title: "Other",
		Versions:    facts.Versions{Supported: []string{"1.0.0"}},
		Initialisms: []string{"URL"},
		Names:       []*facts.Name{{At: "A", Name: "First"}, {At: "A", Name: "Again"}, {At: "B", Name: "Second"}},
		Unions:      []*facts.Union{{Union: "U", Tag: "First"}, {Union: "U", Tag: "Second"}},        // rules for one union add up
		Channels:    []*facts.Channel{{Name: "chat", URI: "first"}, {Name: "logs"}, {Name: "logs"}}, // what one source says twice is for its reader
		Methods:     []*facts.Method{{Name: "ask", Params: "First"}, {Name: "tell"}},
		Codes:       []*facts.Code{{Code: -1, Name: "first"}, {Code: -2}},
		Actions:     &facts.Actions{Union: "First"},
		Handshake:   &facts.Handshake{Method: "open"},
	}, facts.Merge(first, second))
	require.Len(t, first.Names, 2, "the sources stay as they are")
	require.Len(t, second.Channels, 3)
}
