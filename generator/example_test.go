// What programs do with the API, as examples that run.

package generator_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change/report"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// temporary makes a folder for an example.
func temporary() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "ahpgen-example-")
	if err != nil {
		log.Fatal(err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }
}

// write puts a schema into a folder of its own below dir.
func write(dir, folder, text string) string {
	folder = filepath.Join(dir, folder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "note.schema.json"), []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
	return folder
}

const note = `{
  "x-protocol": {"name": "note", "title": "Note Protocol", "version": "1.0.0"},
  "$defs": {
    "Note": {
      "description": "A line of text.",
      "type": "object",
      "properties": {"id": {"type": "string"}, "text": {"type": "string"}},
      "required": ["id"]
    }
  }
}
`

// Generate the package of the embedded schemas. Nothing is written before Apply.
func Example() {
	dir, remove := temporary()
	defer remove()
	var diags diag.List
	g, err := generator.New(generator.Config{Schemas: "ahp@1.0.0", Out: filepath.Join(dir, "ahp")}, &diags)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := g.Plan()
	if err != nil {
		_ = diags.Print(os.Stderr) // why, where err is ErrFindings
		log.Fatal(err)
	}
	if err := plan.Apply(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Protocol.Name, plan.Protocol.Version, "as package", plan.Package)
	written, err := filepath.Glob(filepath.Join(dir, "ahp", "codec*_gen.go"))
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range written {
		fmt.Println(filepath.Base(file))
	}
	// Output:
	// ahp 1.0.0 as package ahp
	// codec_gen.go
	// codec_json_gen.go
	// codec_unions_gen.go
}

// Say whether a package is what its schemas ask for, without writing anything.
func ExamplePlan_Clean() {
	dir, remove := temporary()
	defer remove()
	config := generator.Config{Schemas: write(dir, "schema", note), Out: filepath.Join(dir, "note")}
	check := func() *generator.Plan {
		var diags diag.List
		g, err := generator.New(config, &diags)
		if err != nil {
			log.Fatal(err)
		}
		plan, err := g.Plan()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("clean:", plan.Clean(), "missing:", plan.Count(generator.Missing) > 0, "stale:", plan.Count(generator.Stale))
		return plan
	}
	if err := check().Apply(); err != nil {
		log.Fatal(err)
	}
	check()
	write(dir, "schema", strings.Replace(note, "A line of text.", "What somebody wrote down.", 1))
	for line := range strings.Lines(check().Diff()) {
		if strings.Contains(line, "Note ") || strings.HasPrefix(line, "@@") {
			fmt.Print(line)
		}
	}
	// Output:
	// clean: false missing: true stale: 0
	// clean: true missing: false stale: 0
	// clean: false missing: false stale: 1
	// @@ -2,7 +2,7 @@
	// -// Note is a line of text.
	// +// Note is what somebody wrote down.
	//  type Note struct {
}

// Learn all that is wrong with schemas at once: where, what, and what to do about it.
func ExampleGenerator_Plan_findings() {
	dir, remove := temporary()
	defer remove()
	text := strings.NewReplacer(
		`"text": {"type": "string"}`, `"text": {"$ref": "#/$defs/Text"}`,
		`"required": ["id"]`, `"required": ["id", "key"]`,
	).Replace(note)
	var diags diag.List
	g, err := generator.New(generator.Config{Schemas: write(dir, "schema", text), Out: filepath.Join(dir, "note")}, &diags)
	if err != nil {
		log.Fatal(err)
	}
	_, err = g.Plan()
	fmt.Println(errors.Is(err, generator.ErrFindings))
	for _, d := range diags.Sorted() {
		fmt.Printf("%d:%d %s: %s\n", d.Pos.Line, d.Pos.Col, d.Code, d.Message)
		fmt.Println("    " + d.Hint)
	}
	// Output:
	// true
	// 7:65 dangling-reference: reference "#/$defs/Text": note.schema.json defines no "Text"
	//     define it in $defs, or correct the reference
	// 8:26 undeclared-required: required member "key" is not declared
	//     declare it under properties, or take it out of required
}

// Compare two versions, and ask whether a client in use would break.
func ExampleCompare() {
	dir, remove := temporary()
	defer remove()
	next := strings.NewReplacer(
		`"version": "1.0.0"`, `"version": "2.0.0"`,
		`"text": {"type": "string"}`, `"text": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}`,
		`"required": ["id"]`, `"required": ["id", "tags"]`,
	).Replace(note)
	var diags diag.List
	diff, err := generator.Compare(write(dir, "old", note), write(dir, "new", next), generator.DiffOptions{}, &diags)
	if err != nil {
		_ = diags.Print(os.Stderr)
		log.Fatal(err)
	}
	fmt.Println(diff.Summary(protocol.FromBoth))
	for _, f := range diff.Findings {
		fmt.Println(f.Change.Rule, f.Subject)
	}
	fmt.Println("breaks a client:", diff.Fails(report.Breaking, protocol.FromClient))
	// Output:
	// note 1.0.0 → 2.0.0: 1 change breaks a client, 1 a host, 1 Go source; 1 type loses ==
	// field-added Note.tags
	// breaks a client: true
}

// List the methods of an embedded protocol.
func ExampleDescribe() {
	var diags diag.List
	g, err := generator.New(generator.Config{Schemas: "ahp@1.0.0"}, &diags)
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.Analyze()
	if err != nil {
		log.Fatal(err)
	}
	described := generator.Describe(p)
	fmt.Println(described.Name, described.Version)
	for _, m := range described.Methods[:3] {
		fmt.Printf("%s %s (%s of %s)\n", m.Method, m.Params, m.Kind, m.From)
	}
	// Output:
	// ahp 1.0.0
	// action ActionEnvelope (notification of both)
	// initialize InitializeParams (request of client)
	// ping PingParams (request of client)
}
