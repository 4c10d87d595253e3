package profile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/facts/fit"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/schemas"
)

// read parses a profile with the given members besides its name and title.
func read(t *testing.T, members string) *profile.Profile {
	t.Helper()
	var diags diag.List
	p, parsed := profile.Parse("p.json", []byte(`{"name": "x", "title": "X", `+members+`}`))
	diags.Add(parsed...)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	require.NotNil(t, p)
	return p
}

// at settles the version at hand.
func at(t *testing.T, p *profile.Profile, version string) *profile.Selected {
	t.Helper()
	var diags diag.List
	selected, chosen := p.Select("", facts.Text{Text: version}, func(string) bool { return false })
	diags.Add(chosen...)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	return selected
}

// unused reports the facts of a profile that matched nothing, repairs among them, but for those of these names.
func unused(s *profile.Selected, diags *diag.List, matched ...string) {
	all := s.Facts().All()
	for _, e := range s.Edits() {
		all = append(all, e.Origin)
	}
	used := fit.Used{}
	for _, f := range all {
		if slices.Contains(matched, f.Where().What) {
			used.Add(f)
		}
	}
	diags.Add(fit.Unused(all, used, &schema.Set{}, s.Version)...)
}

func TestParseReportsWithPosition(t *testing.T) {
	for _, c := range []struct{ name, text, code, want string }{
		{"no JSON", `{"name": `, "truncated-json", "p.json:1:10: "},
		{"no object", `[]`, "bad-profile", "p.json:1:1: the file is a list, not an object"},
		{"no name", `{"title": "X"}`, "bad-profile", `p.json:1:1: the file lacks "name"`},
		{"a member that is not known", `{"name": "x", "title": "X", "extra": 1}`, "bad-profile", "p.json:1:29: unknown member \"extra\""},
		{"an entry with a member that is not known", "{\"name\": \"x\", \"title\": \"X\", \"omit\": [\n{\"definition\": \"A\",\n  \"wy\": \"w\"}]}", "bad-profile", "p.json:3:3: unknown member \"wy\""},
		{"a duplicate member", `{"name": "x", "name": "y", "title": "X"}`, "duplicate-key", "p.json:1:15: duplicate member"},
		{"a wrong kind", "{\"name\": \"x\", \"title\": \"X\",\n\"files\": \"a\"}", "bad-profile", "p.json:2:10: files is a string, not a list"},
		{"a name that is no Go name", "{\"name\": \"x\", \"title\": \"X\", \"naming\": {\"names\": [\n{\"at\": \"A\", \"name\": \"func(\"}]}}", "bad-profile", "p.json:2:21: name: "},
		{"a repair without a reason", "{\"name\": \"x\", \"title\": \"X\", \"overlay\": [\n {\"definition\": \"A\", \"drop\": true}]}", "bad-profile", `p.json:2:2: item 1 of overlay lacks "why"`},
		{"a version that overflows", "{\"name\": \"x\", \"title\": \"X\", \"versions\": {\"supported\": [\n\"99999999999999999999\"]}}", "bad-version", "p.json:2:1: version"},
		{"a range that overflows", "{\"name\": \"x\", \"title\": \"X\", \"omit\": [\n{\"definition\": \"A\", \"versions\": \"<99999999999999999999\"}]}", "bad-version", "p.json:2:1: version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags diag.List
			made, parsed := profile.Parse("p.json", []byte(c.text))
			diags.Add(parsed...)
			require.Nil(t, made)
			require.Equal(t, 1, diags.Len(), "%v", diags.Sorted())
			require.Equal(t, c.code, diags.Sorted()[0].Code)
			require.Contains(t, diags.Sorted()[0].String(), c.want)
		})
	}
}

func TestParseRefusesRepairsThatDoTwoThings(t *testing.T) {
	p, found := profile.Parse("p.json",
		[]byte(`{"name": "x", "title": "X", "overlay": [{"definition": "A", "why": "w", "patch": {}, "drop": true}]}`))
	require.Nil(t, p)
	require.NotEmpty(t, found)
}

func TestPositionsOfEntries(t *testing.T) {
	p := at(t, read(t, "\"omit\": [\n {\"definition\": \"A\"},\n  {\"definition\": \"B\"}]"), "")
	b := p.Facts().Omissions[1]
	require.Equal(t, diag.Pos{File: "p.json", Line: 3, Col: 3}, b.Pos)
	require.Equal(t, "B", b.Definition)
	require.Equal(t, "p.json", p.Facts().Profile)
}

func TestEntriesApplyToTheirVersions(t *testing.T) {
	p := read(t, `"omit": [{"definition": "A", "versions": ">=0.5.0 <0.7.0"}],
		"methods": [{"name": "m", "from": "client", "kind": "request", "since": "0.5.0", "until": "0.7.0"}],
		"actions": {"union": "U", "rules": [{"type": "a", "since": "0.5.0"}, {"type": "b", "until": "0.7.0"}, {"type": "c"}]}`)
	for v, want := range map[string][]bool{ // omission, method, actions a, b, c
		"0.4.0": {false, false, false, true, true}, "0.5.0": {true, true, true, true, true}, "0.6.9": {true, true, true, true, true},
		"0.7.0": {false, false, true, false, true}, "0.7.0-dev": {false, false, true, false, true},
		"": {true, true, true, true, true}, // an unknown version is given every entry
	} {
		f := at(t, p, v).Facts()
		has := func(typ string) bool {
			return slices.ContainsFunc(f.Rules, func(a *facts.Action) bool { return a.Type == typ })
		}
		require.Equal(t, want, []bool{len(f.Omissions) == 1, len(f.Methods) == 1, has("a"), has("b"), has("c")}, "version %q", v)
	}
}

func TestSelectRecognisesTheNewestVersionWhoseMarksAreThere(t *testing.T) {
	p := read(t, `"versions": {"recognise": [
		{"version": "0.8.0-dev", "definitions": ["D"]}, {"version": "0.7.0", "definitions": ["B", "C"]}, {"version": "0.5.0", "definitions": ["A"]}]}`)
	for _, c := range []struct{ stated, has, want string }{
		{"", "ABCD", "0.8.0-dev"}, {"", "ABC", "0.7.0"}, {"", "D", "0.8.0-dev"},
		{"", "AB", "0.5.0"}, {"", "C", ""}, {"", "", ""},
		{"0.6.0", "ABCD", "0.6.0"}, {"1.0", "", "1.0"},
	} {
		var diags diag.List
		got, chosen := p.Select("", facts.Text{Text: c.stated}, func(name string) bool { return strings.Contains(c.has, name) })
		diags.Add(chosen...)
		require.Equal(t, c.want, got.Version.String(), "%+v", c)
		require.Zero(t, diags.Len())
	}
}

func TestSelectReportsAStatedVersionThatIsNone(t *testing.T) {
	var diags diag.List
	p := read(t, `"versions": {}`)
	selected, chosen := p.Select("", facts.Text{Text: "latest"}, func(string) bool { return true })
	diags.Add(chosen...)
	require.Len(t, diags.Sorted(), 1)
	require.Equal(t, "bad-version", diags.Sorted()[0].Code)
	require.Contains(t, diags.Sorted()[0].Message, `"latest"`)
	require.True(t, selected.Version.IsZero())
}

func TestEditsAreThoseOfTheVersion(t *testing.T) {
	p := read(t, `"overlay": [
		{"definition": "A", "why": "w", "at": "/type", "patch": "string", "was": "number"},
		{"definition": "B", "why": "w", "append": 1, "versions": "<0.5.0"},
		{"definition": "C", "why": "w", "remove": null},
		{"definition": "D", "why": "w", "define": true},
		{"definition": "E", "why": "w", "drop": true, "repairedIn": "0.7.0"}]`)
	ops := func(v string) (out []schema.Op) {
		for _, e := range at(t, p, v).Edits() {
			out = append(out, e.Op)
		}
		return out
	}
	require.Equal(t, []schema.Op{schema.Patch, schema.Append, schema.Remove, schema.Define, schema.Drop}, ops("0.4.0"))
	require.Equal(t, []schema.Op{schema.Patch, schema.Remove, schema.Define, schema.Drop}, ops("0.6.0"))
	edits := at(t, p, "0.6.0").Edits()
	require.Equal(t, "A", edits[0].Definition)
	require.Equal(t, "/type", edits[0].At)
	require.Equal(t, "string", edits[0].Value.Text)
	require.Equal(t, "number", edits[0].Was.Text)
	require.Equal(t, diag.Pos{File: "p.json", Line: 2, Col: 3}, edits[0].Pos)
	require.Equal(t, schema.Null, edits[1].Value.Kind, "null is a value too")
	require.Nil(t, edits[1].Was)
	require.Equal(t, []string{"overlay of A/type", "overlay of C", "overlay of D", "overlay of E"},
		[]string{edits[0].Origin.What, edits[1].Origin.What, edits[2].Origin.What, edits[3].Origin.What})
}

func TestUnusedEntriesAreReported(t *testing.T) {
	const everywhere = `"omit": [{"definition": "A"}, {"definition": "B"}]`
	const limited = `"omit": [{"definition": "A", "versions": ">=0.5.0"}]`
	const repaired = `"overlay": [{"definition": "A", "why": "w", "drop": true, "repairedIn": "0.7.0"}]`
	for _, c := range []struct {
		name, members, version string
		used                   []string
		want                   []string
	}{
		{"one of two", everywhere, "0.6.0", []string{"omission of A"}, []string{"error omission of B"}},
		{"all are used", everywhere, "0.6.0", []string{"omission of A", "omission of B"}, nil},
		{"the version is not known", everywhere, "", nil, []string{"error omission of A", "error omission of B"}},
		{"for another version", limited, "0.4.0", nil, nil},
		{"for this version among others", limited, "0.6.0", nil, []string{"warning omission of A"}},
		{"limited, of an unknown version", limited, "", nil, []string{"warning omission of A"}},
		{"repaired before", repaired, "0.6.0", nil, []string{"warning overlay of A"}},
		{"repaired in this version", repaired, "0.7.0", nil, nil},
		{"repaired since", repaired, "0.8.0-dev", nil, nil},
		{"repaired, of an unknown version", repaired, "", nil, []string{"warning overlay of A"}},
		{
			"every kind of entry", `"naming": {"names": [{"at": "a", "name": "A"}]}, "numbers": {"floats": [{"at": "b"}], "integers": [{"at": "c"}]},
			"unions": {"rules": [{"union": "d"}]}, "enums": {"rules": [{"enum": "e"}]}, "partials": [{"at": "f", "of": "x", "name": "F"}],
			"omit": [{"definition": "g"}], "channels": [{"name": "h"}], "actions": {"union": "x", "rules": [{"type": "i"}]},
			"methods": [{"name": "j", "from": "host", "kind": "notification"}], "errors": {"codes": [{"code": -1, "name": "x"}]},
			"overlay": [{"definition": "l", "at": "/m", "why": "w", "append": 1}]`, "", nil,
			[]string{
				"error action i", "error channel h", "error enum rule for e", "error error code -1", "error float b", "error integer c",
				"error method j", "error name for a", "error omission of g", "error overlay of l/m", "error partial f", "error union rule for d",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags diag.List
			unused(at(t, read(t, c.members), c.version), &diags, c.used...)
			var got []string
			for _, d := range diags.Sorted() {
				require.Equal(t, "unused-entry", d.Code)
				require.NotZero(t, d.Pos.Line)
				what := strings.TrimSuffix(strings.TrimPrefix(d.Message, "the profile's "), " matches nothing in these schemas")
				got = append(got, d.Severity.String()+" "+what)
			}
			slices.Sort(got)
			require.Equal(t, c.want, got)
		})
	}
}

func TestEmptyProfileHasNothingToSay(t *testing.T) {
	var diags diag.List
	p, found := profile.Empty().Select("", facts.Text{}, func(string) bool { return true })
	diags.Add(found...)
	unused(p, &diags)
	require.Zero(t, diags.Len())
	require.True(t, p.Version.IsZero())
	require.Empty(t, p.Edits())
	require.Equal(t, &facts.Facts{}, p.Facts())
}

func TestEmbeddedProfilesParse(t *testing.T) {
	require.NotEmpty(t, schemas.Profiles())
	for _, name := range schemas.Profiles() {
		t.Run(name, func(t *testing.T) {
			data, display, err := schemas.Profile(name)
			require.NoError(t, err)
			require.Equal(t, "embedded:"+name+"/profile.json", display)
			var diags diag.List
			p, parsed := profile.Parse(display, data)
			diags.Add(parsed...)
			require.Zero(t, diags.Len(), "%v", diags.Sorted())
			require.Equal(t, name, p.Name, "the folder is named like the profile")
			for i, m := range p.Versions.Recognise[:max(len(p.Versions.Recognise)-1, 0)] {
				older := p.Versions.Recognise[i+1]
				at, err := p.Order().Parse(m.Version)
				require.NoError(t, err)
				before, err := p.Order().Parse(older.Version)
				require.NoError(t, err)
				require.GreaterOrEqual(t, at.Compare(before), 0, "newest first: %s, %s", m.Version, older.Version)
			}
		})
	}
}

func TestUnknownEmbeddedProfile(t *testing.T) {
	_, _, err := schemas.Profile("no-such-protocol")
	require.ErrorContains(t, err, strings.Join(schemas.Profiles(), ", "))
}

// TestWhatDoesNotFitAProfileOfAhpgens is a warning: the user cannot correct it.
func TestWhatDoesNotFitAProfileOfAhpgens(t *testing.T) {
	for _, fixed := range []bool{false, true} {
		var diags diag.List
		text := profile.Text{Name: "p.json", Key: "p.json", Fixed: fixed, Data: []byte(`{"name": "test", "title": "Test", "omit": [{"definition": "Base"}]}`)}
		read, err := profile.ParseAll(text, nil)
		diags.Add(read.Found...)
		p := read.Profile
		require.NoError(t, err)
		require.NotNil(t, p, "%v", diags.Sorted())
		selected, chosen := p.Select("", facts.Text{Text: "1.0.0"}, func(string) bool { return false })
		diags.Add(chosen...)
		unused(selected, &diags)
		require.Equal(t, 1, diags.Len())
		require.Equal(t, !fixed, diags.HasErrors())
	}
}

// TestASnapshotMayLackWhatItsReleaseBrings: what came in with 0.8.0 may not be there in 0.8.0-dev.
func TestASnapshotMayLackWhatItsReleaseBrings(t *testing.T) {
	for stated, missed := range map[string]int{"0.7.0": 0, "0.8.0-dev": 1, "0.8.0": 2, "0.8.1-dev": 2} {
		var diags diag.List
		p, parsed := profile.Parse("p.json", []byte(`{"name": "test", "title": "Test", "omit": [
			{"definition": "New", "versions": ">=0.8.0"}, {"definition": "Newer", "versions": ">=0.8.0-dev"}]}`))
		diags.Add(parsed...)
		require.NotNil(t, p, "%v", diags.Sorted())
		selected, chosen := p.Select("", facts.Text{Text: stated}, func(string) bool { return false })
		diags.Add(chosen...)
		unused(selected, &diags)
		require.Equal(t, missed, diags.Len(), "%s: %v", stated, diags.Sorted())
	}
}

// TestOmissionOfWhatMayBeGone applies to every version that has the definition, and is not missed if it may be gone.
func TestOmissionOfWhatMayBeGone(t *testing.T) {
	for stated, missed := range map[string]bool{"0.7.0": true, "0.8.0": false, "1.0.0": false} {
		var diags diag.List
		p, parsed := profile.Parse("p.json", []byte(`{"name": "test", "title": "Test", "omit": [{"definition": "Base", "removedIn": "0.8.0"}]}`))
		diags.Add(parsed...)
		require.NotNil(t, p, "%v", diags.Sorted())
		selected, chosen := p.Select("", facts.Text{Text: stated}, func(string) bool { return false })
		diags.Add(chosen...)
		require.Len(t, selected.Facts().Omissions, 1, stated)
		unused(selected, &diags)
		require.Equal(t, missed, diags.Len() > 0, "%s: %v", stated, diags.Sorted())
	}
	var diags diag.List
	made, parsed := profile.Parse("p.json", []byte(`{"name": "test", "title": "Test", "omit": [{"definition": "Base", "removedIn": "next"}]}`))
	diags.Add(parsed...)
	require.Nil(t, made)
	require.True(t, diags.HasErrors())
}

// FuzzParse reads any bytes as a profile and uses what comes out.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"name": "x", "title": "X"}`, `{"name": "x", "title": "X", "versions": {"supported": ["1.0"], "recognise": [{"version": "0", "definitions": ["A"]}]}}`,
		`{"name": "x", "title": "X", "overlay": [{"definition": "A", "why": "w", "patch": null, "was": 1, "at": "/a~1", "repairedIn": "99999999999999999999"}]}`,
		`{"name": "x", "title": "X", "errors": {"codes": [{"code": 1e400, "name": "x"}, {"code": 1.0, "name": "y"}, {"code": 99999999999999999999, "name": "z"}]}}`,
		`{"name": "x", "title": "X", "enums": {"rules": [{"enum": "E", "open": true, "names": {"": "A"}, "versions": "<1 >=0"}]}}`,
		`{"Name": "x", "title": "X"}`, `[]`, `{`,
	} {
		f.Add([]byte(seed))
	}
	for _, name := range schemas.Profiles() {
		data, _, err := schemas.Profile(name)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var diags diag.List
		p, parsed := profile.Parse("p.json", data)
		diags.Add(parsed...)
		require.Equal(t, p == nil, diags.HasErrors(), "%v", diags.Sorted())
		if p == nil {
			return
		}
		selected, chosen := p.Select("", facts.Text{}, func(name string) bool { return len(name)%2 == 0 })
		diags.Add(chosen...)
		for _, e := range selected.Edits() {
			require.Equal(t, e.Op == schema.Drop, e.Value == nil)
		}
		unused(selected, &diags)
		for _, d := range diags.Sorted() {
			require.Equal(t, "unused-entry", d.Code)
		}
	})
}

func TestAnImplementationSpeaksItsOwnVersionAndOlderOnes(t *testing.T) {
	for version, want := range map[string][]string{
		"":          nil, // seen from the newest break
		"0.5.2":     {"0.5.2", "0.5.1"},
		"0.6.0":     {"0.6.0"}, // broke with what was before it
		"0.7.0":     {"0.7.0", "0.6.0"},
		"0.8.0-dev": {"0.8.0-dev", "0.7.0", "0.6.0"}, // what it precedes breaks with that
		"0.8.0":     {"0.8.0"},
		"0.4.0":     {"0.4.0"},
	} {
		p := profile.Empty()
		p.Versions.Supported, p.Versions.Breaking = []string{"0.7.0", "0.6.0", "0.5.2", "0.5.1"}, []string{"0.6.0", "0.8.0"}
		var diags diag.List
		picked, chosen := p.Select("", facts.Text{Text: version}, func(string) bool { return false })
		diags.Add(chosen...)
		f := picked.Facts()
		require.Zero(t, diags.Len())
		require.Equal(t, want, f.Versions.Spoken(), version)
	}
}

// TestOmissionOfWhatCameInLater applies to every version that has the definition, and is only missed
// where the definition should be there.
func TestOmissionOfWhatCameInLater(t *testing.T) {
	for stated, missed := range map[string]bool{"0.5.1": false, "0.5.2": true, "0.6.0": true, "": true} {
		var diags diag.List
		p, parsed := profile.Parse("p.json", []byte(`{"name": "test", "title": "Test", "omit": [{"definition": "Base", "addedIn": "0.5.2"}]}`))
		diags.Add(parsed...)
		require.NotNil(t, p, "%v", diags.Sorted())
		selected, chosen := p.Select("", facts.Text{Text: stated}, func(string) bool { return false })
		diags.Add(chosen...)
		require.Len(t, selected.Facts().Omissions, 1, stated)
		unused(selected, &diags)
		require.Equal(t, missed, diags.Len() > 0, "%s: %v", stated, diags.Sorted())
		require.False(t, diags.HasErrors(), "a snapshot may lack it: %v", diags.Sorted())
	}
	var diags diag.List
	made, parsed := profile.Parse("p.json", []byte(`{"name": "test", "title": "Test", "omit": [{"definition": "Base", "addedIn": "next"}]}`))
	diags.Add(parsed...)
	require.Nil(t, made)
	require.True(t, diags.HasErrors())
}
