// Package accept manages accepted changes. An entry identifies a change by rule, subject and the shapes before and
// after, never by message text, so it survives tool updates and expires when the change does.
package accept

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/schemas"
)

// Fingerprint identifies a change.
type Fingerprint struct {
	Rule    change.Rule `json:"rule"`
	Subject string      `json:"subject"`
	Old     string      `json:"old"` // hash of the old shape, or ""
	New     string      `json:"new"` // hash of the new shape, or ""
}

// Of returns the fingerprint of a change.
func Of(c change.Change) Fingerprint {
	old, new := c.Shapes()
	return Fingerprint{Rule: c.Rule, Subject: c.Subject, Old: hash(old), New: hash(new)}
}

// hash returns a digest long enough to distinguish the shapes of one subject, and short enough to review.
func hash(shape string) string {
	if shape == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(shape))
	return hex.EncodeToString(sum[:8])
}

// Entry is an accepted change.
type Entry struct {
	Fingerprint
	Against string `json:"against,omitempty"` // version of the old side that the change was accepted against
	Reason  string `json:"reason"`

	pos diag.Pos
}

// List is the content of a file of accepted changes.
type List struct {
	Schema  string  `json:"$schema,omitempty"`
	Entries []Entry `json:"accepted"`
}

var validator = sync.OnceValues(func() (*schema.Validator, error) {
	return schema.NewValidator("acceptances.schema.json", schemas.AcceptancesSchema)
})

// Parse reads a file. There is no list if something is wrong with it.
func Parse(display string, data []byte) (*List, []diag.Diagnostic, error) {
	root, found := schema.ParseJSON(display, data)
	if len(found) > 0 {
		return nil, found, nil
	}
	v, err := validator()
	if err != nil {
		return nil, nil, err
	}
	if found := v.Check(root, "bad-acceptances", nil); len(found) > 0 {
		return nil, found, nil
	}
	var list List
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", display, err)
	}
	for i, item := range root.Get("accepted").Items {
		list.Entries[i].pos = item.Pos
	}
	return &list, nil, nil
}

// Apply parts the findings of a comparison with a base into those that are left and the number of accepted ones. An entry
// counts for the version that it was accepted against. One that matches no change is passed over if the base has the change
// already, or is of another version. Otherwise it is stale, which is an error: what it was for is gone or has changed.
func (l *List) Apply(base *protocol.Protocol, findings []verdict.Finding) (left []verdict.Finding, accepted int, stale []diag.Diagnostic) {
	used := map[Fingerprint]bool{}
	known := map[Fingerprint]bool{}
	for _, e := range l.Entries {
		if e.counts(base) {
			known[e.Fingerprint] = true
		}
	}
	for _, f := range findings {
		fingerprint := Of(f.Change)
		if known[fingerprint] {
			used[fingerprint] = true
			accepted++
			continue
		}
		left = append(left, f)
	}
	for _, e := range l.Entries {
		if !used[e.Fingerprint] && e.counts(base) && !e.isIn(base) {
			stale = append(stale, diag.Errorf(e.pos, "stale-acceptance", "remove the entry; where the change is there in another form, accept that one anew",
				"no change %s of %s as it was accepted", e.Rule, e.Subject))
		}
	}
	return left, accepted, stale
}

// counts reports whether an entry is for comparisons with a base.
func (e *Entry) counts(base *protocol.Protocol) bool {
	return e.Against == "" || e.Against == base.Version
}

// isIn reports whether a base has a change already.
func (e *Entry) isIn(base *protocol.Protocol) bool {
	is := each.Map(change.Present(base, e.Subject), hash)
	if e.New == "" {
		return !slices.Contains(is, e.Old)
	}
	return slices.Contains(is, e.New) && e.New != e.Old
}

// Add accepts findings with a reason. Advice is skipped.
func (l *List) Add(base *protocol.Protocol, findings []verdict.Finding, reason string) (added int) {
	for _, f := range findings {
		if !f.Rule.Advice {
			l.Entries = append(l.Entries, Entry{Fingerprint: Of(f.Change), Against: base.Version, Reason: reason})
			added++
		}
	}
	return added
}

// Format returns the list as file content.
func (l *List) Format() ([]byte, error) {
	out := *l
	if out.Entries == nil {
		out.Entries = []Entry{}
	}
	text, err := jsontext.File(out)
	if err != nil {
		return nil, fmt.Errorf("write acceptances: %w", err)
	}
	return text, nil
}
