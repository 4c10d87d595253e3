// Doc: the reference pages of a protocol.

package generator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change/report"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/goapi"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
	"github.com/ahpgen/ahpgen/generator/internal/page"
	"github.com/ahpgen/ahpgen/generator/internal/reference"
	"github.com/ahpgen/ahpgen/generator/internal/source"
	"github.com/ahpgen/ahpgen/generator/internal/translation"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Site is a set of static pages that refer only to each other.
type Site struct {
	Protocol *protocol.Protocol
	Files    []SiteFile // sorted by name
}

// SiteFile is a file of a site.
type SiteFile = page.File

// Pages returns the number of pages of a site.
func (s *Site) Pages() int {
	n := 0
	for _, f := range s.Files {
		if strings.HasSuffix(f.Name, ".html") {
			n++
		}
	}
	return n
}

// Doc builds the reference pages. For the configuration of a package they include who provides its reducers and
// handlers. Nothing is written.
func (g *Generator) Doc() (_ *Site, err error) {
	defer finish(g.diags, &err)
	r, d, err := g.build()
	if err != nil {
		return nil, err
	}
	p := r.protocol
	in := reference.Input{Protocol: p, Package: d.pkg, Import: g.importPath(), Finished: finishedWords(p, d.finished)}
	if in.Touched, err = touched(d); err != nil {
		return nil, err
	}
	for _, doc := range r.set.Docs {
		in.Sources = append(in.Sources, reference.Source{Name: doc.Name, Display: doc.Display, Data: doc.Data})
	}
	if in.Coverage, err = g.coverage(r, d); err != nil {
		return nil, err
	}
	g.diags.Stage("comparing versions")
	for _, pair := range d.spoken.pairs { // before finished reducers are noted, as in the lists of inspect
		in.Older = append(in.Older, olderOf(pair))
	}
	in.Changes = changes(p, d)
	g.diags.Stage("making pages")
	files, err := reference.Pages(in)
	if err != nil {
		return nil, err
	}
	return &Site{Protocol: p, Files: files}, nil
}

// olderOf returns what is not the same for peers of an older version.
func olderOf(p *Translation) reference.Older {
	out := reference.Older{Version: p.Older.Version}
	for _, l := range append(p.Losses, p.Rules()...) {
		out.Untold = append(out.Untold, reference.Untold{Lift: l.Direction == translation.Lift, Kind: string(l.Kind), At: l.At, What: l.What})
	}
	return out
}

// changes returns the change reports from each older known version.
func changes(p *protocol.Protocol, d *declarations) []reference.Changes {
	noteFinished(p, d.finished)
	here := goapi.Side{Protocol: p, Package: d.pkg}
	known := []*protocol.Protocol{p}
	var older []goapi.Side
	for _, at := range embeddedVersions(p.Name) {
		if compareVersions(&protocol.Protocol{Version: at, Order: p.Order}, p) >= 0 {
			continue
		}
		if side, err := embeddedSide(p.Name + "@" + at); err == nil { // embedded schemas are readable
			older, known = append(older, side), append(known, side.Protocol)
		}
	}
	all := timeline(known...)
	var out []reference.Changes
	for _, side := range older {
		d := compareSides(side.Protocol.Version, p.Version, side, here)
		d.Timeline = func() *report.Timeline { return all }
		out = append(out, reference.Changes{
			From: side.Protocol.Version, To: p.Version, Summary: d.Counted(),
			Render: func(f page.Frame) ([]byte, error) { return d.Page(f, protocol.FromBoth) },
		})
	}
	return out
}

// finishedWords returns descriptions of finished reducers by action type.
func finishedWords(p *protocol.Protocol, sets []*finished.Set) map[string]string {
	out := map[string]string{}
	for _, a := range p.AllActions() {
		for _, set := range sets {
			if words := set.Words(a.Type); words != "" {
				out[a.Type] = words
				break
			}
		}
	}
	return out
}

// touched returns the members that finished reducers read and write, of the set most of which fits.
func touched(d *declarations) (map[string][]reference.Touched, error) {
	if len(d.finished) == 0 || d.pkg.Reducers == nil {
		return nil, nil
	}
	files, err := emit.Files(d.pkg)
	if err != nil {
		return nil, err
	}
	emitted := emittedAs(d.pkg, files)
	var best map[*golang.ActionReducer][]finished.Member
	for _, set := range d.finished {
		members, err := set.Members(emitted)
		if err != nil {
			return nil, err
		}
		if len(members) > len(best) {
			best = members
		}
	}
	out := map[string][]reference.Touched{}
	for _, c := range d.pkg.Reducers.Channels {
		for _, a := range c.Actions { // several structs may carry one action
			for _, m := range best[a] {
				out[a.Type] = append(out[a.Type], reference.Touched(m))
			}
		}
	}
	return out, nil
}

// importPath returns the import path of the package, or "".
func (g *Generator) importPath() string {
	if g.config.Out == "" {
		return ""
	}
	m, err := gomod.Of(g.config.Out)
	if err != nil || m.Root == "" {
		return ""
	}
	path, ok := m.ImportPath(g.config.Out)
	if !ok {
		return ""
	}
	return path
}

// coverage returns the coverage of the configured package, or nil.
func (g *Generator) coverage(r reading, d *declarations) (*reference.Coverage, error) {
	if g.config.Out == "" || g.config.dir == "" {
		return nil, nil
	}
	if _, err := os.Stat(g.config.Out); disk.IsMissing(err) {
		return nil, nil
	}
	old, _, err := g.readLock()
	if err != nil {
		return nil, err
	}
	before := g.diags.Count(diag.Error)
	plan, err := g.planPackage(r, d, old, nil)
	if err != nil {
		return nil, err
	}
	if g.diags.Count(diag.Error) > before {
		return nil, ErrFindings
	}
	out := plan.coverage()
	out.Folder = cmp.Or(g.importPath(), filepath.ToSlash(DisplayPath(g.config.Out)))
	return out, nil
}

// coverage lists the reducers and handlers of a plan with their providers.
func (p *Plan) coverage() *reference.Coverage {
	out := &reference.Coverage{}
	c := &coverer{plan: p, out: out, planned: map[string]bool{}}
	for _, f := range p.Files {
		for _, method := range f.Stubs {
			c.planned[method] = true
		}
	}
	if r := p.pkg.Reducers; r != nil {
		for _, ch := range r.Channels {
			for _, a := range ch.Actions {
				c.reducer(a)
			}
		}
	}
	if server := p.writers.server; server != nil {
		for _, call := range server.Receives {
			c.add(reference.Covered{Kind: "method", Name: call.Wire, Method: server.Server + "." + call.Name, Status: reference.Yours})
		}
	}
	for _, f := range p.Findings {
		if f.Code == "retired-method" {
			method, _, _ := strings.Cut(f.Message, " ")
			out.Items = append(out.Items, reference.Covered{Name: method, Method: method, Status: reference.Retired, Pos: f.Pos})
		}
	}
	return out
}

// coverer collects who provides each method.
type coverer struct {
	plan    *Plan
	out     *reference.Coverage
	planned map[string]bool // stubs to be inserted
}

// reducer records the provider of a reducer.
func (c *coverer) reducer(a *golang.ActionReducer) {
	item := reference.Covered{Kind: "action", Name: a.Type, Method: c.plan.pkg.Own("Reducer") + "." + a.Method, Status: reference.Yours}
	switch {
	case a.Stated:
		item.Status = reference.Generated
	case c.plan.writers.isFinished(a):
		item.Status = reference.Finished
	}
	if item.Status != reference.Yours {
		item.Pos = c.emitted(item.Method)
	}
	if why := c.plan.Unfit[item.Method]; why != "" && item.Status == reference.Yours {
		item.Note = why
	}
	c.add(item)
}

// emitted returns the position of a method in a planned file, or zero.
func (c *coverer) emitted(method string) diag.Pos {
	receiver, name, _ := strings.Cut(method, ".")
	clause := []byte("*" + receiver + ") " + name + "(")
	for _, f := range c.plan.Files {
		if at := bytes.Index(f.New, clause); at >= 0 && !f.Hand {
			return diag.Pos{File: filepath.ToSlash(DisplayPath(c.plan.path(f))), Line: 1 + bytes.Count(f.New[:at], []byte("\n"))}
		}
	}
	return diag.Pos{}
}

// add records a method. A user's method may be unfinished.
func (c *coverer) add(item reference.Covered) {
	if item.Status == reference.Yours {
		receiver, name, _ := strings.Cut(item.Method, ".")
		if c.plan.writers.hand != nil {
			item.Pos = c.plan.writers.hand.Where(receiver, name)
		}
		for _, f := range c.plan.Findings {
			if f.Code == "unfinished-stub" && strings.HasPrefix(f.Message, item.Method+" ") {
				item.Status, item.Pos = reference.Unfinished, f.Pos
			}
		}
		if c.planned[item.Method] {
			item.Status, item.Note = reference.Unfinished, "The stub is not there yet: ahpgen generate inserts it."
		}
		if !item.Pos.IsZero() {
			item.Pos.File = filepath.ToSlash(DisplayPath(filepath.FromSlash(item.Pos.File)))
		}
	}
	c.out.Items = append(c.out.Items, item)
}

// Inputs returns the files and folders on disk that Doc reads. When one of them changes, the pages may be others.
func (g *Generator) Inputs() []string {
	var out []string
	if g.config.dir != "" {
		out = append(out, filepath.Join(g.config.dir, ConfigName))
	}
	if s := g.config.Schemas; s != "" && !IsEmbedded(s) && !source.IsGit(s) {
		out = append(out, s)
	}
	if source.IsPath(g.config.Profile) {
		out = append(out, g.config.Profile)
	}
	stated, _ := source.Profile(g.config.Profile) // what is wrong with it is reported when it is read
	for _, text := range stated.Texts {
		if !text.Fixed {
			out = append(out, text.Key)
		}
	}
	if g.config.Out != "" && g.config.dir != "" {
		out = append(out, g.config.Out)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// siteList is the file that lists the files of a site in a folder.
const siteList = "assets/files.json"

// Write writes the site to a folder and removes files of an earlier site. It refuses a folder with other files.
func (s *Site) Write(folder string) error {
	var old []string
	data, err := disk.ReadFile(filepath.Join(folder, filepath.FromSlash(siteList)))
	switch {
	case disk.IsMissing(err):
		if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 {
			return &FlagError{Message: fmt.Sprintf("%s holds other files than pages of ahpgen's: name a folder of their own", filepath.ToSlash(folder)), Flag: "out", Value: filepath.ToSlash(filepath.Join(folder, "reference"))}
		}
	case err != nil:
		return fmt.Errorf("write pages: %w", err)
	default:
		if err := json.Unmarshal(data, &old); err != nil {
			return fmt.Errorf("write pages: %s: %w", siteList, err)
		}
	}
	names := each.Map(s.Files, func(f SiteFile) string { return f.Name })
	for _, name := range append(slices.Clone(names), siteList) {
		if path := filepath.Join(folder, filepath.FromSlash(name)); !leadsInto(folder, path) {
			return fmt.Errorf("write pages: ahpgen does not write to %s, from where a symbolic link leads out of the folder", filepath.ToSlash(path))
		}
	}
	for _, f := range s.Files {
		if err := writeChanged(filepath.Join(folder, filepath.FromSlash(f.Name)), f.Content); err != nil {
			return err
		}
	}
	for _, name := range old {
		isPage := filepath.IsLocal(filepath.FromSlash(name)) && slices.Contains([]string{".html", ".js", ".css"}, filepath.Ext(name))
		if isPage && !slices.Contains(names, name) && leadsInto(folder, filepath.Join(folder, filepath.FromSlash(name))) {
			if err := os.Remove(filepath.Join(folder, filepath.FromSlash(name))); err != nil && !disk.IsMissing(err) {
				return fmt.Errorf("write pages: %w", err)
			}
		}
	}
	list, err := json.Marshal(names)
	if err != nil {
		return fmt.Errorf("write pages: %w", err)
	}
	return writeChanged(filepath.Join(folder, filepath.FromSlash(siteList)), append(list, '\n'))
}

// leadsInto reports whether a path is in a folder once links are followed.
func leadsInto(folder, path string) bool {
	home, there := realPath(folder)
	real, ok := realPath(path)
	_, inside := disk.Within(home, real)
	return there && ok && inside
}

// writeChanged writes a file if its content differs.
func writeChanged(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write pages: %w", err)
	}
	if err := disk.WriteFile(path, content); err != nil {
		return fmt.Errorf("write pages: %w", err)
	}
	return nil
}
