// Stubs: the methods that a person writes. Missing ones are inserted into a person's files; what
// only a person can settle is reported.

package generator

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ahpgen/ahpgen/generator/apply"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/disk"
	"github.com/ahpgen/ahpgen/generator/emit"
	"github.com/ahpgen/ahpgen/generator/finished"
	"github.com/ahpgen/ahpgen/generator/golang"
	"github.com/ahpgen/ahpgen/generator/gotext"
	"github.com/ahpgen/ahpgen/generator/userfile"
)

// unfinished starts the comment in the body of a stub. A method that still has it counts as
// unfinished.
const unfinished = "TODO(ahpgen):"

// writers is who writes what of a package: the tool, a person, and what comes finished.
type writers struct {
	pkg    *golang.Package
	server *golang.Party     // what a person's host has to have, nil for nothing
	hand   *userfile.Package // nil where nobody writes anything by hand, or some file cannot be read
	choice *finished.Choice  // nil where no reducers are finished
}

// readHand reads what a person wrote beside the emitted files; nil where the package has no need of it.
func (p *Plan) readHand(pkg *golang.Package, files []emit.Output, diags *diag.List) (*userfile.Package, error) {
	if pkg.Reducers == nil && serverOf(pkg) == nil {
		return nil, nil
	}
	planned := map[string][]byte{}
	for _, f := range files {
		if !strings.Contains(f.Name, "/") {
			planned[f.Name] = f.Content
		}
	}
	source := userfile.Source{
		Dir: filepath.ToSlash(p.Out), Package: pkg.Name, Planned: planned,
		IsGenerated: func(_ string, content []byte) bool { return isOurs(content) },
	}
	hand, err := userfile.Load(disk.DirFS(p.Out), source, diags)
	if hand == nil || err != nil {
		return nil, err
	}
	p.sources = map[string]string{}
	for name, content := range hand.Sources() {
		p.sources[name] = apply.Digest(content)
	}
	return hand, nil
}

// extend plans the stubs that the package lacks, and notes what a person has to do.
func (p *Plan) extend(w *writers, diags *diag.List) error {
	pkg, server, hand := w.pkg, w.server, w.hand
	if hand == nil {
		return nil
	}
	var stubs []userfile.Stub
	if pkg.Reducers != nil {
		stubs = w.reducerStubs()
	}
	if server != nil {
		stubs = append(stubs, serverStubs(pkg, server)...)
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
			return pkg.Reducers != nil && receiver == pkg.Own("Reducer") && retiredReducer(name, signature) || retiredHandler(server, receiver, name, signature)
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
	return p.addEdits(edits, w)
}

// addEdits adds the files that are extended or started. The sources are the files as they were parsed.
func (p *Plan) addEdits(edits []userfile.Edit, w *writers) error {
	sources := w.hand.Sources()
	byFile := map[string][]userfile.Edit{}
	for _, e := range edits {
		byFile[e.File] = append(byFile[e.File], e)
	}
	for name, list := range byFile {
		f := PlannedFile{Name: name, State: Missing, Hand: true}
		for _, e := range list {
			for _, name := range e.Adds {
				if w.starts(name) != nil {
					f.Finished = append(f.Finished, name)
				} else {
					f.Stubs = append(f.Stubs, name)
				}
			}
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
func (w *writers) reducerStubs() []userfile.Stub {
	var out []userfile.Stub
	receiver := w.pkg.Own("Reducer")
	for _, c := range w.pkg.Reducers.Channels {
		file := stubFile(c)
		for _, a := range w.pkg.Reducers.Hand(c) {
			if w.isFinished(a) {
				continue
			}
			doc := []string{fmt.Sprintf("%s applies %s.", a.Method, a.Action.Name)}
			if len(a.Doc) > 0 {
				doc = append(append(doc, ""), a.Doc...)
			}
			stub := userfile.Stub{
				Receiver:  "r *" + receiver,
				Name:      a.Method,
				Signature: fmt.Sprintf("(s *%s, a *%s) *%s", c.State.Name, a.Action.Name, c.State.Name),
				Body:      "// " + unfinished + " return a changed copy, or s where nothing changes.\nreturn s",
				Doc:       doc,
				Group:     c.Channel,
				File:      file,
				Apart:     true,
			}
			if start := w.starts(receiver + "." + a.Method); start != nil {
				stub.Doc, stub.Body, stub.Imports = start.Doc, start.Body, start.Imports
			}
			out = append(out, stub)
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
func retiredReducer(name, signature string) bool {
	m := reducerSignature.FindStringSubmatch(signature)
	if m == nil || m[1] != m[3] {
		return false
	}
	name, _ = strings.CutSuffix(name, "Value") // keeps a name from being a keyword
	action, _ := strings.CutSuffix(strings.TrimSuffix(m[2], "Action"), "Value")
	return strings.EqualFold(action, name) || strings.EqualFold(m[2], name)
}
