package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// parse reads a document that has to be right.
func parse(t testing.TB, text string) *schema.Node {
	t.Helper()
	var diags diag.List
	n, parsed := schema.ParseJSON("f", []byte(text))
	diags.Add(parsed...)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	require.NotNil(t, n)
	return n
}

// printed renders diagnostics without their hints.
func printed(diags *diag.List) []string {
	var out []string
	for _, d := range diags.Sorted() {
		d.Hint = ""
		out = append(out, d.String())
	}
	return out
}

// hints collects the hints of diagnostics.
func hints(diags *diag.List) string {
	var out []string
	for _, d := range diags.Sorted() {
		out = append(out, d.Hint)
	}
	return strings.Join(out, "\n")
}

func TestParseJSONKeepsPositions(t *testing.T) {
	for _, c := range []struct {
		name, text, pointer string
		line, col           int // of the value
	}{
		{"root", `{}`, "", 1, 1},
		{"root after space", " \n\t{}", "", 2, 2},
		{"same line", `{"a": 1}`, "/a", 1, 7},
		{"no space at all", `{"a":1}`, "/a", 1, 6},
		{"space before the colon", "{\"a\" \n : \n  1}", "/a", 3, 3},
		{"next line", "{\n  \"a\": {\n    \"b\": true\n  }\n}", "/a/b", 3, 10},
		{"item", "[\n1,\n  2]", "/1", 3, 3},
		{"item after a space before the comma", "[1 , 2]", "/1", 1, 6},
		{"nested item", `{"a": [[], [null, "x"]]}`, "/a/1/1", 1, 19},
		{"CRLF counts as one line end", "{\r\n\"a\":\r\n1}", "/a", 3, 1},
		{"multi-byte characters count their bytes", `{"ä": 1}`, "/ä", 1, 8},
		{"multi-byte characters before on the line", `["日本", 1]`, "/1", 1, 12},
		{"escapes count as written", `["\u00e4\n", 1]`, "/1", 1, 14},
		{"brackets inside strings", `["[{\"", 1]`, "/1", 1, 10},
		{"a tab is one byte", "[\t1]", "/0", 1, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := parse(t, c.text).At(c.pointer)
			require.NotNil(t, n)
			require.Equal(t, diag.Pos{File: "f", Line: c.line, Col: c.col}, n.Pos)
		})
	}
}

func TestParseJSONKeepsPositionsOfKeys(t *testing.T) {
	n := parse(t, "{\r\n  \"ü\": {\"x\" : 1 ,\"y\":2},\n\"z\":3}")
	require.Equal(t, diag.Pos{File: "f", Line: 2, Col: 3}, n.Members[0].KeyPos)
	require.Equal(t, diag.Pos{File: "f", Line: 2, Col: 10}, n.Members[0].Value.Members[0].KeyPos)
	require.Equal(t, diag.Pos{File: "f", Line: 2, Col: 19}, n.Members[0].Value.Members[1].KeyPos)
	require.Equal(t, diag.Pos{File: "f", Line: 3, Col: 1}, n.Members[1].KeyPos)
}

func TestParseJSONReadsEveryKind(t *testing.T) {
	for _, c := range []struct {
		text string
		kind schema.Kind
		word string
	}{
		{`null`, schema.Null, "null"}, {`true`, schema.Bool, "a boolean"}, {`-0.5e+10`, schema.Number, "a number"},
		{`"a\u00e4"`, schema.String, "a string"}, {`[]`, schema.Array, "an array"}, {`{}`, schema.Object, "an object"},
	} {
		n := parse(t, c.text)
		require.Equal(t, c.kind, n.Kind, c.text)
		require.Equal(t, c.word, n.Kind.String())
	}
	require.True(t, parse(t, `true`).Bool)
	require.False(t, parse(t, `false`).Bool)
	require.Equal(t, "aä\n", parse(t, `"a\u00e4\n"`).Text)
	require.Equal(t, "12345678901234567890.10", parse(t, `12345678901234567890.10`).Text, "numbers keep their text")
}

func TestParseJSONKeepsTheOrderOfMembers(t *testing.T) {
	var text strings.Builder
	text.WriteString("{")
	for i := range 50 { // more than the limit up to which members are searched one by one
		if i > 0 {
			text.WriteString(",")
		}
		fmt.Fprintf(&text, `"%d":%d`, (i*37)%50, i)
	}
	text.WriteString("}")
	n := parse(t, text.String())
	require.Len(t, n.Members, 50)
	for i, m := range n.Members {
		require.Equal(t, fmt.Sprint((i*37)%50), m.Key)
		require.Equal(t, fmt.Sprint(i), m.Value.Text)
	}
	require.Equal(t, text.String(), n.Compact())
}

func TestParseJSONReportsDuplicateMembers(t *testing.T) {
	many := &strings.Builder{}
	for i := range 20 {
		fmt.Fprintf(many, "\"k%d\": 1,\n", i)
	}
	for _, c := range []struct {
		name, text string
		want       []string
		hint       string
	}{
		{"twice", "{\"a\": 1,\n \"a\": 2}", []string{`f:2:2: duplicate member "a"`}, "it stands first at f:1:2; keep one of the two"},
		{"spelled with an escape", `{"a": 1, "\u0061": 2}`, []string{`f:1:10: duplicate member "a"`}, "f:1:2"},
		{"three times", `{"a":1,"a":2,"a":3}`, []string{`f:1:8: duplicate member "a"`, `f:1:14: duplicate member "a"`}, "f:1:2"},
		{"in a large object, early", "{" + many.String() + `"k0": 2}`, []string{`f:21:1: duplicate member "k0"`}, "f:1:2"},
		{"in a large object, late", "{" + many.String() + `"k19": 2}`, []string{`f:21:1: duplicate member "k19"`}, "f:20:1"},
		{"other objects have their own", `{"a": {"a": 1}, "b": {"a": 1}}`, nil, ""},
		{"another case is another member", `{"a": 1, "A": 1}`, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags diag.List
			made, parsed := schema.ParseJSON("f", []byte(c.text))
			diags.Add(parsed...)
			require.NotNil(t, made, "the rest is still read")
			require.Equal(t, c.want, printed(&diags))
			require.Contains(t, hints(&diags), c.hint)
		})
	}
}

func TestParseJSONRefusesWhatIsNoJSON(t *testing.T) {
	for _, c := range []struct{ name, text, code, want string }{
		{"empty", "", "truncated-json", "f:1:1: file ends in the middle of a JSON value"},
		{"only space", " \n ", "truncated-json", "f:2:2: file ends in the middle of a JSON value"},
		{"cut off in an object", "{\"a\":\n", "truncated-json", "f:2:1: file ends in the middle of a JSON value"},
		{"cut off in a string", `{"a": "b`, "truncated-json", "f:1:9: file ends in the middle of a JSON value"},
		{"cut off in an array", "[1,\n2", "truncated-json", "f:2:2: file ends in the middle of a JSON value"},
		{"cut off after a comma", "[1,\n 2, \n", "truncated-json", "f:3:1: file ends in the middle of a JSON value"},
		{"cut off in a word", "[\ntru", "truncated-json", "f:2:4: file ends in the middle of a JSON value"},
		{"cut off in a number", "-", "truncated-json", "f:1:2: file ends in the middle of a JSON value"},
		{"a word", `{"a": yes}`, "invalid-json", "f:1:7: invalid JSON: invalid character 'y'"},
		{"half a word", "{\"ä\": tru}", "invalid-json", "f:1:11: invalid JSON: invalid character '}'"},
		{"no comma", "{\"a\": 1,\n \"b\": [1 2]}", "invalid-json", "f:2:10: invalid JSON: invalid character '2'"},
		{"no comma between members", "{\"a\": 1\n \"b\": 2}", "invalid-json", "f:2:2: invalid JSON: invalid character '\"'"},
		{"no colon", `{"a" 1}`, "invalid-json", "f:1:6: invalid JSON: invalid character '1'"},
		{"two colons", "{\"a\"\n:\n:1}", "invalid-json", "f:3:1: invalid JSON: invalid character ':'"},
		{"no value", `{"a":}`, "invalid-json", "f:1:6: invalid JSON: invalid character '}'"},
		{"a comma before the end of an array", "[1,\n 2,\n]", "invalid-json", "f:3:1: invalid JSON: invalid character ']'"},
		{"a comma before the end of an object", "{\"a\": 1,\n }", "invalid-json", "f:2:2: invalid JSON: invalid character '}'"},
		{"a comma at the start", "[,1]", "invalid-json", "f:1:2: invalid JSON: invalid character ','"},
		{"two commas", "[1 , , 2]", "invalid-json", "f:1:6: invalid JSON: invalid character ','"},
		{"the wrong bracket", "[[1],\n[1}]", "invalid-json", "f:2:3: invalid JSON: invalid character '}'"},
		{"a bracket alone", " ]", "invalid-json", "f:1:2: invalid JSON: invalid character ']'"},
		{"a member name that is a number", "{1:2}", "invalid-json", "f:1:2: invalid JSON: invalid character '1'"},
		{"a zero before a number", "{\"a\":\n 01}", "invalid-json", "f:2:3: invalid JSON: invalid character '1'"},
		{"no exponent", "[1e]", "invalid-json", "f:1:4: invalid JSON: invalid character ']'"},
		{"an unknown escape", `["a\x"]`, "invalid-json", "f:1:5: invalid JSON: invalid character 'x'"},
		{"a bad digit in an escape", `["\u12g4"]`, "invalid-json", "f:1:7: invalid JSON: invalid character 'g'"},
		{"a comment", "{\n// no\n}", "invalid-json", "f:2:1: invalid JSON: invalid character '/'"},
		{"single quotes", `{'a': 1}`, "invalid-json", "f:1:2: invalid JSON: invalid character '\\''"},
		{"two values", "{}\n {}", "invalid-json", "f:2:2: unexpected content after the JSON value"},
		{"a bracket too many", `{"a": 1}}`, "invalid-json", "f:1:9: unexpected content after the JSON value"},
		{"a word after the value", "[1]\n x", "invalid-json", "f:2:2: unexpected content after the JSON value"},
		{"byte order mark", "\xef\xbb\xbf{}", "byte-order-mark", "f:1:1: file starts with a byte order mark"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "invalid-utf8", "f:1:1: invalid UTF-8"},
		{"Latin-1", "{\n\"\xe4\": 1}", "invalid-utf8", "f:2:2: invalid UTF-8"},
		{"half a character at the end", "[\"a\"]\n\xe6\x97", "invalid-utf8", "f:2:1: invalid UTF-8"},
		{"a control character in a string", "[\"a\nb\"]", "invalid-json", "f:1:4: invalid JSON: invalid character '\\n'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags diag.List
			made, parsed := schema.ParseJSON("f", []byte(c.text))
			diags.Add(parsed...)
			require.Nil(t, made)
			require.Equal(t, 1, diags.Len(), "%v", diags.Sorted())
			require.Equal(t, c.code, diags.Sorted()[0].Code)
			require.True(t, strings.HasPrefix(printed(&diags)[0], c.want), "%s", printed(&diags)[0])
		})
	}
}

func TestParseJSONAcceptsTheReplacementCharacter(t *testing.T) {
	require.Equal(t, "\ufffd", parse(t, "\"\ufffd\"").Text)
}

func TestParseJSONLimitsDepth(t *testing.T) {
	arrays := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	objects := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for name, nested := range map[string]func(int) string{"arrays": arrays, "objects": objects} {
		t.Run(name, func(t *testing.T) {
			parse(t, nested(schema.MaxDepth))
			for _, depth := range []int{schema.MaxDepth + 1, 200_000} {
				var diags diag.List
				made, parsed := schema.ParseJSON("f", []byte(nested(depth)))
				diags.Add(parsed...)
				require.Nil(t, made)
				require.Equal(t, 1, diags.Len())
				require.Equal(t, "too-deep", diags.Sorted()[0].Code)
			}
		})
	}
}

func TestParseJSONLimitsSize(t *testing.T) {
	var diags diag.List
	made, parsed := schema.ParseJSON("f", make([]byte, schema.MaxBytes+1))
	diags.Add(parsed...)
	require.Nil(t, made)
	require.Equal(t, []string{"f: file is 67108865 bytes long, the limit is 67108864"}, printed(&diags))
	var atLimit diag.List
	made, parsed = schema.ParseJSON("f", make([]byte, schema.MaxBytes))
	atLimit.Add(parsed...)
	require.Nil(t, made)
	require.Equal(t, "invalid-json", atLimit.Sorted()[0].Code, "a file of the very limit is read")
}

func TestAtFollowsPointers(t *testing.T) {
	n := parse(t, `{"a": [10, {"b": 20}], "x/y": 30, "m~n": 40, "~1": 50, "": 60, "0": 70}`)
	for pointer, want := range map[string]string{
		"/a/0": "10", "/a/1/b": "20", "/x~1y": "30", "/m~0n": "40", "/~01": "50", "/0": "70",
	} {
		require.NotNil(t, n.At(pointer), pointer)
		require.Equal(t, want, n.At(pointer).Text, pointer)
	}
	require.Same(t, n, n.At(""))
	for _, pointer := range []string{"/b", "/a/2", "/a/-1", "/a/x", "/a/0/0", "/a/1/b/c", "/x/y", "/b/c/d"} {
		require.Nil(t, n.At(pointer), pointer)
	}
}

func TestSplitPointer(t *testing.T) {
	for pointer, want := range map[string][]string{
		"": nil, "/": nil, "/a": {"a"}, "/a/b": {"a", "b"}, "/a//b": {"a", "", "b"}, "/~01": {"~1"}, "/~10": {"/0"}, "/a/": {"a", ""},
	} {
		require.Equal(t, want, schema.SplitPointer(pointer), pointer)
	}
}

func TestGetOfWhatIsNoObject(t *testing.T) {
	var none *schema.Node
	require.Nil(t, none.Get("a"))
	require.Nil(t, parse(t, `[1]`).Get("0"))
	require.Nil(t, parse(t, `{"a": 1}`).Get("b"))
}

func TestEqualIgnoresOrderAndPosition(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a": 1, "b": [true, null]}`, "{\n\"b\":[true,null],\"a\":1}", true},
		{`{"a": {"x": 1, "y": 2}}`, `{"a": {"y": 2, "x": 1}}`, true},
		{`"\u0061"`, `"a"`, true},
		{`{}`, `[]`, false},
		{`null`, `false`, false},
		{`"1"`, `1`, false},
		{`true`, `false`, false},
		{`[1, 2]`, `[2, 1]`, false},
		{`[1]`, `[1, 1]`, false},
		{`{"a": 1}`, `{"b": 1}`, false},
		{`{"a": 1}`, `{"a": 2}`, false},
		{`{"a": 1}`, `{"a": 1, "b": 2}`, false},
		{`{"a": null}`, `{"b": null}`, false},
	} {
		a, b := parse(t, c.a), parse(t, c.b)
		require.Equal(t, c.want, a.Equal(b), "%s, %s", c.a, c.b)
		require.Equal(t, c.want, b.Equal(a), "%s, %s", c.b, c.a)
		require.True(t, a.Equal(a))
	}
	var none *schema.Node
	require.True(t, none.Equal(nil))
	require.False(t, none.Equal(parse(t, `null`)))
	require.False(t, parse(t, `null`).Equal(nil))
}

func TestCloneSharesNothing(t *testing.T) {
	const text = `{"a":[1,{"b":"x"}],"c":true}`
	n := parse(t, text)
	c := n.Clone()
	require.Equal(t, n, c, "positions included")
	c.Members[0].Value.Items[1].Members[0].Value.Text = "changed"
	c.Members[0].Value.Items[0].Text = "2"
	c.Members[1].Key = "d"
	require.Equal(t, text, n.Compact())
}

func TestCompactIsJSONOnOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"{ \"b\" : [ 1.50 , null,\ntrue ] , \"a\" : { } }": `{"b":[1.50,null,true],"a":{}}`,
		`"<a & b>\n\"\\"`: `"<a & b>\n\"\\"`,
		`"\u2028\u0000"`:  `"\u2028\u0000"`,
		`[]`:              `[]`,
	} {
		require.Equal(t, want, parse(t, in).Compact())
		require.NotContains(t, parse(t, in).Compact(), "\n")
	}
}

func TestValueIsWhatEncodingJSONDecodes(t *testing.T) {
	const text = `{"a": [1, 2.50, "x", null, true], "b": {}, "c": []}`
	var want any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&want))
	require.Equal(t, want, parse(t, text).Value())
}

// FuzzParseJSON compares with encoding/json: both accept the same texts, and agree on the value.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[1, -0, 1e5, 0.25]`, `{"a": {"b": [true, false, null]}}`, `"\ud83d\ude00\u0000"`, "{\r\n\t\"ü\" : \"日本\"}", `{"a":1,"a":2}`,
		`{"a" 1}`, `[1,]`, `{"a":1,}`, `[,1]`, `{,}`, `1 2`, `01`, `"\x"`, "\xef\xbb\xbf{}", "[\"\xff\"]", `nul`, strings.Repeat("[", 200),
		`{"a":1 "b":2}`, `[1 2]`, `{1:2}`, `{"a":}`, `]`, `}`, `:`, `,1`, "[1,\n", "{\"ä\":\r\ntru}", `[1e]`, `["\u12g4"]`, "[\"a\n\"]", "{\"a\"\n:\n:1}", `[[1}]`, `-`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var diags diag.List
		n, parsed := schema.ParseJSON("f", data)
		diags.Add(parsed...)
		if n == nil {
			require.True(t, diags.HasErrors(), "nothing read and nothing said")
		}
		if !utf8.Valid(data) || bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
			require.Nil(t, n)
			return
		}
		for _, d := range diags.Sorted() {
			if d.Code == "duplicate-key" || d.Code == "too-deep" || d.Code == "number-too-large" {
				return
			}
		}
		require.Equal(t, json.Valid(data), n != nil, "%v", diags.Sorted())
		if n == nil {
			checkSyntaxError(t, data, diags.Sorted())
			return
		}
		require.Zero(t, diags.Len(), "%v", diags.Sorted())
		var want any
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		require.NoError(t, dec.Decode(&want))
		require.Equal(t, want, n.Value())
		require.True(t, n.Equal(parse(t, n.Compact())), "Compact changes the value")
		checkPositions(t, data, n)
	})
}

// checkSyntaxError: more text could follow what stands before the position, but not the character
// at the position. A file that is cut off says so at its end.
func checkSyntaxError(t *testing.T, data []byte, found []diag.Diagnostic) {
	t.Helper()
	require.Len(t, found, 1)
	d := found[0]
	if strings.HasPrefix(d.Message, "unexpected content") {
		return // a comma or colon right after the value is passed over, so the position is behind it
	}
	offset := d.Pos.Col - 1
	for _, line := range bytes.SplitAfter(data, []byte("\n"))[:d.Pos.Line-1] {
		offset += len(line)
	}
	endsEarly := func(text []byte) bool {
		err := json.NewDecoder(bytes.NewReader(text)).Decode(new(json.RawMessage))
		return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	}
	require.True(t, endsEarly(data[:offset]), "%v", d)
	if d.Code == "truncated-json" {
		require.Len(t, data, offset, "%v", d)
		return
	}
	require.False(t, endsEarly(data[:offset+1]) || json.Valid(data[:offset+1]), "%v", d)
}

// checkPositions looks at the text where each node says it stands.
func checkPositions(t *testing.T, data []byte, n *schema.Node) {
	t.Helper()
	lines := bytes.SplitAfter(data, []byte("\n"))
	at := func(pos diag.Pos) byte { return lines[pos.Line-1][pos.Col-1] }
	switch c := at(n.Pos); n.Kind {
	case schema.Null:
		require.Equal(t, byte('n'), c)
	case schema.Bool:
		require.Contains(t, "tf", string(c))
	case schema.Number:
		require.Contains(t, "-0123456789", string(c))
	case schema.String:
		require.Equal(t, byte('"'), c)
	case schema.Array:
		require.Equal(t, byte('['), c)
	case schema.Object:
		require.Equal(t, byte('{'), c)
	}
	for _, item := range n.Items {
		checkPositions(t, data, item)
	}
	for _, m := range n.Members {
		require.Equal(t, byte('"'), at(m.KeyPos))
		checkPositions(t, data, m.Value)
	}
}
