// Stubs: methods for the user to implement, and findings about the user's methods.

package generator

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/lock"
	"github.com/ahpgen/ahpgen/generator/internal/translation"
	"github.com/ahpgen/ahpgen/generator/internal/userfile"
)

// unfinished is the beginning of the comment that marks a stub as unfinished.
const unfinished = "TODO(ahpgen):"

// writers records who provides each method: ahpgen, the user, or the protocol.
type writers struct {
	pkg    *golang.Package
	server *golang.Party     // the user's host type, or nil
	hand   *userfile.Package // nil without hand-written code, or if a file cannot be read
	choice *finished.Choice  // nil without finished reducers
	former *golang.Package   // the package before a bump, or nil

	translations []translation.Need // functions between versions that the user writes
}

// readHand reads the hand-written files of the package, or returns nil if they are irrelevant.
func (p *Plan) readHand(pkg *golang.Package, files []emit.Output) (*userfile.Package, []diag.Diagnostic, error) {
	if pkg.Reducers == nil && serverOf(pkg) == nil && len(pkg.OwnTranslations) == 0 {
		return nil, nil, nil
	}
	planned := map[string][]byte{}
	for _, f := range files {
		if !strings.Contains(f.Name, "/") {
			planned[f.Name] = f.Content
		}
	}
	source := userfile.Source{
		Dir: filepath.ToSlash(p.Out), Package: pkg.Name, Planned: planned,
		IsGenerated: isOurs,
	}
	hand, found, err := userfile.Load(editedFS{disk.DirFS(p.Out), p.fixed}, source)
	if hand != nil {
		p.sources = hand.Sources()
		hand.Follow(p.wrote)
	}
	return hand, found, err
}

// wrote reports whether a method is unchanged since ahpgen inserted it.
func (p *Plan) wrote(method string, text func() string) bool {
	written, claimed := p.written[method], p.claimed[method]
	if len(written) == 0 && claimed == "" {
		return false
	}
	is := text()
	digest := lock.Digest([]byte(is))
	return slices.Contains(written, digest) || claimed == digest && strings.Contains(is, "// "+unfinished)
}

// extend plans the missing stubs, removes obsolete unchanged ones, and collects findings.
func (p *Plan) extend(w *writers) (found []diag.Diagnostic, err error) {
	pkg, server := w.pkg, w.server
	if w.hand == nil {
		return nil, nil
	}
	stubs := w.stubs()
	if server != nil {
		found = checkServer(server, w.hand, filepath.ToSlash(p.Out))
	}
	channels := stubChannels(pkg.Reducers)
	options := w.stubOptions(channels)
	settled, changes, err := w.hand.Settle(stubs, func(file string) string {
		if channels[file] == "" && file != translationsFile {
			return formerHeader(pkg, w.former, file)
		}
		return options.Header(file)
	})
	if err != nil {
		return found, fmt.Errorf("plan stubs: %w", err)
	}
	edits, findings, err := settled.Plan(stubs, options)
	if err != nil {
		return found, fmt.Errorf("plan stubs: %w", err)
	}
	stands := false // something prevents inserting a stub
	for _, f := range findings {
		if f.Kind == userfile.CannotExtend || f.Kind == userfile.TestOnly {
			found = append(found, f.Diagnostic())
			stands = true
		}
	}
	if err := p.addEdits(edits, changes, settled, w); err != nil {
		return found, err
	}
	if findings, err = p.foundAfter(settled, edits, stubs, options, findings); err != nil {
		return found, err
	}
	for _, f := range findings {
		if stands && (f.Kind == userfile.CannotExtend || f.Kind == userfile.TestOnly) {
			continue
		}
		p.Findings = append(p.Findings, f.Diagnostic())
	}
	return found, nil
}

// stubOptions returns the options for inserting stubs: headers of new files, and messages about obsolete methods.
func (w *writers) stubOptions(channels map[string]string) userfile.Options {
	pkg, server := w.pkg, w.server
	return userfile.Options{
		Header: func(file string) string {
			if server != nil && file == serverFile(server) {
				return serverHeader(pkg.Name, server, w.hand)
			}
			if file == translationsFile {
				return translationsHeader(pkg)
			}
			return stubHeader(pkg, channels[file])
		},
		Retired: func(receiver, name, signature string) bool {
			return pkg.Reducers != nil && receiver == pkg.Own("Reducer") && retiredReducer(name, signature) || retiredHandler(server, receiver, name, signature) || receiver == golang.TranslationsType
		},
		Twice: func(receiver string) string {
			if server != nil && receiver == server.Server {
				return "remove it: what is generated wires the methods into handlers"
			}
			return "its effects are stated: remove it, or keep it with \"reducers\": {\"own\": [its action]} in " + ConfigName
		},
		UnfinishedComment: unfinished,
	}
}

// foundAfter returns the findings at their positions after the edits.
func (p *Plan) foundAfter(settled *userfile.Package, edits []userfile.Edit, stubs []userfile.Stub, options userfile.Options, findings userfile.Findings) (userfile.Findings, error) {
	if len(edits) == 0 {
		return findings, nil
	}
	contents := map[string][]byte{}
	added := map[string]bool{}
	for _, f := range p.Files {
		if f.Hand && f.New != nil && f.State != Unchanged {
			contents[f.Name] = f.New
		}
		for _, name := range f.Stubs {
			added[name] = true
		}
	}
	after, err := settled.With(contents)
	if err != nil {
		return nil, fmt.Errorf("plan stubs: %w", err)
	}
	_, findings, err = after.Plan(stubs, options)
	if err != nil {
		return nil, fmt.Errorf("plan stubs: %w", err)
	}
	return slices.DeleteFunc(findings, func(f userfile.Finding) bool {
		return f.Kind == userfile.Unfinished && added[f.Receiver+"."+f.Method]
	}), nil
}

// stubs returns all methods the user must provide.
func (w *writers) stubs() []userfile.Stub {
	var out []userfile.Stub
	if w.pkg.Reducers != nil {
		out = w.reducerStubs()
	}
	if w.server != nil {
		out = append(out, serverStubs(w.pkg, w.server)...)
	}
	return append(out, translationStubs(w.pkg, w.translations)...)
}

// knowOwnStubs adds the stubs of this package to the known ones, independent of the lock.
func (p *Plan) knowOwnStubs(w *writers) error {
	stubs := w.stubs()
	if len(stubs) == 0 {
		return nil
	}
	digests, err := stubDigests(&userfile.Package{}, stubs)
	for method, digest := range digests {
		p.written[method] = append(p.written[method], digest)
	}
	return err
}

// stubDigests returns digests of stubs by method.
func stubDigests(hand *userfile.Package, stubs []userfile.Stub) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range stubs {
		method, text, err := hand.Text(s)
		if err != nil {
			return nil, fmt.Errorf("plan stubs: %w", err)
		}
		out[method] = lock.Digest([]byte(text))
	}
	return out, nil
}

// addEdits adds the changed user files to the plan. Sources are the files as parsed; edits refer to the settled
// package.
func (p *Plan) addEdits(edits []userfile.Edit, changes []userfile.Settled, settled *userfile.Package, w *writers) error {
	sources, now := w.hand.Sources(), settled.Sources()
	byFile := map[string][]userfile.Edit{}
	for _, e := range edits {
		byFile[e.File] = append(byFile[e.File], e)
	}
	files := map[string]*PlannedFile{}
	for _, c := range changes {
		files[c.File] = &PlannedFile{Name: c.File, Hand: true, Gone: c.Gone, Followed: c.Changed, New: now[c.File]}
	}
	for name, list := range byFile {
		f := files[name]
		if f == nil {
			f = &PlannedFile{Name: name, Hand: true}
			files[name] = f
		}
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
			continue
		}
		old, ok := now[name]
		if !ok {
			return fmt.Errorf("plan stubs: %s is no file of a person's", name)
		}
		// Offsets refer to the parsed bytes, regardless of later changes.
		f.New = userfile.Apply(old, list)
	}
	for name, f := range files {
		f.follow()
		f.Old = sources[name]
		switch {
		case f.New == nil:
			f.State = Orphaned
		case f.Old == nil:
			f.State = Missing
		case bytes.Equal(f.Old, f.New):
			continue
		default:
			f.State = Stale
		}
		p.Files = append(p.Files, *f)
	}
	p.sort()
	return nil
}

// follow treats methods that were removed and reinserted as updated.
func (f *PlannedFile) follow() {
	back := func(method string) bool { return slices.Contains(f.Gone, method) }
	f.Followed = append(f.Followed, each.Where(slices.Concat(f.Stubs, f.Finished), back)...)
	f.Stubs, f.Finished = slices.DeleteFunc(f.Stubs, back), slices.DeleteFunc(f.Finished, back)
	f.Gone = each.Without(f.Gone, f.Followed)
}

// reducerStubs returns the reducers the user must provide, grouped by channel.
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
			} else if draft, ok := w.choice.Draft(a.Method); ok {
				stub.Doc, stub.Body, stub.Imports = draft.Doc, draftBody(draft), draft.Imports
			}
			out = append(out, stub)
		}
	}
	return out
}

// draftBody returns a body that says what does not fit: the finished one, as a comment if it does not compile.
func draftBody(d finished.Draft) string {
	head := "// " + unfinished + " the finished reducer does not fit: " + gotext.Clean(d.Why) + ".\n"
	if d.Compiles {
		return head + d.Body
	}
	lines := strings.Split(strings.TrimRight(d.Body, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("//"+line, " \t")
	}
	return head + "//\n" + strings.Join(lines, "\n") + "\nreturn s"
}

// stubFile returns the initial file for a channel's reducers.
func stubFile(c *golang.ChannelReducer) string {
	name := "reducers_" + strings.ToLower(c.Method)
	if !userfile.InEveryBuild(name+".go") || strings.HasSuffix(name+".go", emit.Suffix) {
		name += "_channel" // the bare name has a special meaning
	}
	return name + ".go"
}

// stubChannels maps initial files to channels.
func stubChannels(set *golang.Reducers) map[string]string {
	out := map[string]string{}
	if set != nil {
		for _, c := range set.Channels {
			out[stubFile(c)] = c.Channel
		}
	}
	return out
}

// formerHeader returns the initial header of a file whose channel is gone.
func formerHeader(pkg, former *golang.Package, file string) string {
	if former != nil {
		if channel := stubChannels(former.Reducers)[file]; channel != "" {
			return stubHeader(pkg, channel)
		}
	}
	return "package " + pkg.Name + "\n"
}

func stubHeader(pkg *golang.Package, channel string) string {
	return fileHeader(pkg.Name,
		fmt.Sprintf("Reducers of the %s channel that are written by hand. When the protocol gains actions,", channel),
		"ahpgen adds stubs for them; what you write here stays as it is.")
}

// fileHeader returns a file comment and package clause.
func fileHeader(pkg string, doc ...string) string {
	return strings.Join(gotext.Comments(doc), "\n") + "\n\npackage " + pkg + "\n"
}

// reducerSignature matches the signature of a reducer.
var reducerSignature = regexp.MustCompile(`^\((?:\w+ )?\*(\w+), (?:\w+ )?\*(\w+)\) \*(\w+)$`)

// retiredReducer reports whether an unwanted method looks like a reducer, so that its action must be gone.
func retiredReducer(name, signature string) bool {
	m := reducerSignature.FindStringSubmatch(signature)
	if m == nil || m[1] != m[3] {
		return false
	}
	name, _ = strings.CutSuffix(name, "Value") // avoids a keyword
	action, _ := strings.CutSuffix(strings.TrimSuffix(m[2], "Action"), "Value")
	return strings.EqualFold(action, name) || strings.EqualFold(m[2], name)
}
