// Stubs: the methods that a person writes. Missing ones are inserted into a person's files; what
// only a person can settle is reported.

package generator

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ahpgen/ahpgen/generated"
	"github.com/ahpgen/ahpgen/generator/apply"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/disk"
	"github.com/ahpgen/ahpgen/generator/emit"
	"github.com/ahpgen/ahpgen/generator/golang"
	"github.com/ahpgen/ahpgen/generator/gotext"
	"github.com/ahpgen/ahpgen/generator/userfile"
)

// unfinished starts the comment in the body of a stub. A method that still has it counts as
// unfinished.
const unfinished = "TODO(ahpgen):"

// extend plans the stubs that the package lacks, and notes what a person has to do.
func (p *Plan) extend(pkg *golang.Package, diags *diag.List) error {
	server := serverOf(pkg)
	if pkg.Reducers == nil && server == nil {
		return nil
	}
	planned := map[string][]byte{}
	for _, f := range p.Files {
		if f.New != nil {
			planned[f.Name] = f.New
		}
	}
	source := userfile.Source{
		Dir: filepath.ToSlash(p.Out), Package: pkg.Name, Planned: planned,
		IsGenerated: func(_ string, content []byte) bool { return isOurs(content) },
	}
	hand, err := userfile.Load(disk.DirFS(p.Out), source, diags)
	if hand == nil || err != nil {
		return err
	}
	p.sources = map[string]string{}
	for name, content := range hand.Sources() {
		p.sources[name] = apply.Digest(content)
	}
	var stubs []userfile.Stub
	if pkg.Reducers != nil {
		started, err := p.start(pkg, hand, planned)
		if err != nil {
			return err
		}
		if !started {
			stubs = reducerStubs(pkg.Reducers)
		}
	}
	if server != nil {
		stubs = append(stubs, serverStubs(server)...)
		checkServer(server, hand, filepath.ToSlash(p.Out), diags)
	}
	channels := stubChannels(pkg.Reducers)
	edits, findings, err := hand.Plan(stubs, userfile.Options{
		Header: func(file string) string {
			if file == serverFile {
				return serverHeader(pkg.Name, server, hand)
			}
			return stubHeader(pkg, channels[file])
		},
		Retired: func(receiver, name, signature string) bool {
			return pkg.Reducers != nil && retiredReducer(receiver, name, signature) || retiredHandler(server, receiver, name, signature)
		},
		Twice: func(receiver string) string {
			if server != nil && receiver == server.Server {
				return "remove it: what is generated wires the methods into handlers"
			}
			return "its effects are stated: remove it, or keep it with \"reducers\": {\"own\": [its action]} in " + ConfigName
		},
		UnfinishedComment: unfinished,
	})
	if err != nil {
		return fmt.Errorf("plan stubs: %w", err)
	}
	for _, f := range findings {
		if f.Kind == userfile.CannotExtend || f.Kind == userfile.TestOnly {
			diags.Add(f.Diagnostic())
			continue
		}
		p.Findings = append(p.Findings, f.Diagnostic())
	}
	return p.addEdits(edits, hand.Sources())
}

// start plans finished reducers where ahpgen has them for this protocol version and the package has
// none of its own yet.
func (p *Plan) start(pkg *golang.Package, hand *userfile.Package, planned map[string][]byte) (bool, error) {
	if hand.HasMethods("Reducer") || len(p.own) > 0 {
		return false, nil
	}
	files, err := generated.Reducers(emit.Header(pkg), pkg.Name, planned)
	if err != nil || len(files) == 0 {
		return false, err
	}
	for name := range files {
		if _, err := os.Lstat(filepath.Join(p.Out, name)); err == nil {
			return false, nil // a person has something else there
		}
	}
	for name, content := range files {
		p.Files = append(p.Files, PlannedFile{Name: name, State: Missing, Hand: true, New: content})
	}
	p.sort()
	return true, nil
}

// addEdits adds the files that are extended or started. The sources are the files as they were parsed.
func (p *Plan) addEdits(edits []userfile.Edit, sources map[string][]byte) error {
	byFile := map[string][]userfile.Edit{}
	for _, e := range edits {
		byFile[e.File] = append(byFile[e.File], e)
	}
	for name, list := range byFile {
		f := PlannedFile{Name: name, State: Missing, Hand: true}
		for _, e := range list {
			f.Stubs = append(f.Stubs, e.Adds...)
		}
		if list[0].Create {
			f.New = list[0].Insert
		} else {
			old, ok := sources[name]
			if !ok {
				return fmt.Errorf("plan stubs: %s is no file of a person's", name)
			}
			// The offsets are those of the bytes that were parsed, whatever the file holds by now.
			f.State, f.Old, f.New = Stale, old, userfile.Apply(old, list)
		}
		p.Files = append(p.Files, f)
	}
	p.sort()
	return nil
}

// reducerStubs lists the reducers that a person has to write, grouped by channel.
func reducerStubs(set *golang.Reducers) []userfile.Stub {
	var out []userfile.Stub
	for _, c := range set.Channels {
		hand := set.Hand(c)
		if len(hand) == 0 {
			continue
		}
		file := stubFile(c)
		for _, a := range hand {
			doc := []string{fmt.Sprintf("%s applies %s.", a.Method, a.Action.Name)}
			if len(a.Doc) > 0 {
				doc = append(append(doc, ""), a.Doc...)
			}
			out = append(out, userfile.Stub{
				Receiver:  "r *Reducer",
				Name:      a.Method,
				Signature: fmt.Sprintf("(s *%s, a *%s) *%s", c.State.Name, a.Action.Name, c.State.Name),
				Body:      "// " + unfinished + " return a changed copy, or s where nothing changes.\nreturn s",
				Doc:       doc,
				Group:     c.Channel,
				File:      file,
				Apart:     true,
			})
		}
	}
	return out
}

// stubFile is the file in which the reducers of a channel start out.
func stubFile(c *golang.ChannelReducer) string {
	name := "reducers_" + strings.ToLower(c.Method)
	if !userfile.InEveryBuild(name+".go") || strings.HasSuffix(name+".go", emit.Suffix) {
		name += "_channel" // the go command, or ahpgen, makes something else of the bare name
	}
	return name + ".go"
}

// stubChannels says whose reducers start out in which file.
func stubChannels(set *golang.Reducers) map[string]string {
	out := map[string]string{}
	if set != nil {
		for _, c := range set.Channels {
			out[stubFile(c)] = c.Channel
		}
	}
	return out
}

func stubHeader(pkg *golang.Package, channel string) string {
	return fileHeader(pkg.Name,
		fmt.Sprintf("Reducers of the %s channel that are written by hand. When the protocol gains actions,", channel),
		"ahpgen adds stubs for them; it never changes what is here.")
}

// fileHeader is a comment about a file, and its package clause.
func fileHeader(pkg string, doc ...string) string {
	return strings.Join(gotext.Comments(doc), "\n") + "\n\npackage " + pkg + "\n"
}

// reducerSignature is how the signature of every reducer looks: state and action in, state out.
var reducerSignature = regexp.MustCompile(`^\((?:\w+ )?\*(\w+), (?:\w+ )?\*(\w+)\) \*(\w+)$`)

// retiredReducer reports whether a method has the name and signature of a reducer. That nobody
// wants it then means that its action is gone.
func retiredReducer(receiver, name, signature string) bool {
	m := reducerSignature.FindStringSubmatch(signature)
	if receiver != "Reducer" || m == nil || m[1] != m[3] {
		return false
	}
	name, _ = strings.CutSuffix(name, "Value") // keeps a name from being a keyword
	action, _ := strings.CutSuffix(strings.TrimSuffix(m[2], "Action"), "Value")
	return strings.EqualFold(action, name) || strings.EqualFold(m[2], name)
}
