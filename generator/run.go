// Run: the time in which one process alone changes the folders of a configuration, and what a journal
// that it finds there may speak of.

package generator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/generator/apply"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
	"github.com/ahpgen/ahpgen/generator/internal/source"
)

// Keys of the folders that files are written to.
const (
	inOut     = "out"
	inConfig  = "config"
	inSchemas = "schemas"
	inRuntime = "runtime" // with a subfolder behind a slash
	inFormer  = "former"  // the same for the runtime's place if nothing states another, and is not any more
)

// Run holds the folders of a configuration until it ends.
type Run struct {
	// Notice says what became of an update that was cut short, "" if there was none.
	Notice string

	release func()
}

// Begin makes this process the only one that writes to the folders of a configuration. It waits for
// another one, and tells waiting what for; after the time given it refuses. An update that was cut short
// is brought to its end, so that the configuration has to be read again.
func Begin(config Config, wait time.Duration, waiting func(string)) (*Run, error) {
	config = config.withDefaults()
	if err := config.checkOwner(); err != nil {
		return nil, err
	}
	folders := []string{config.Out}
	if config.dir != "" {
		folders = append(folders, config.dir)
	}
	// Other configurations may share these: nobody reads schemas while they are replaced.
	if folder := config.schemasFolder(); folder != "" {
		folders = append(folders, folder)
	}
	if config.Runtime != "" {
		folders = append(folders, config.Runtime)
	}
	release, err := apply.Lock(folders, wait, func(busy *apply.LockError) {
		if waiting != nil {
			waiting(fmt.Sprintf("waiting for %s in %s", busy.Holder, filepath.ToSlash(busy.Folder)))
		}
	})
	if err != nil {
		return nil, err
	}
	r := &Run{release: release}
	outcome, lines, err := apply.Recover(config.place())
	if err != nil {
		r.End()
		return nil, fmt.Errorf("finish an interrupted update: %w", err)
	}
	r.Notice = map[apply.Outcome]string{
		apply.Finished: "finished an update that was cut short",
		apply.Undone:   "undid an update that was cut short: a file that it rests on was saved since",
		apply.Swept:    "removed what an update left that was cut short before it changed anything",
	}[outcome]
	r.Notice = strings.Join(append([]string{r.Notice}, lines...), "\n")
	return r, nil
}

// End lets other processes go on.
func (r *Run) End() { r.release() }

// Interrupted says that an update of the folders of a configuration has not come to its end, "" if
// none is on its way. It changes nothing.
func Interrupted(config Config) string {
	config = config.withDefaults()
	if !apply.Waits(config.place()) {
		return ""
	}
	return fmt.Sprintf("an update of %s is on its way or was cut short: ahpgen generate or ahpgen bump finishes it", filepath.ToSlash(config.Out))
}

// place is where the files of a configuration are written.
func (c Config) place() apply.Place {
	p := apply.Place{
		Folders: map[string]string{inOut: c.Out}, Home: inOut, Journal: apply.JournalName,
		Check: checkWritten, Trust: c.trust, Sources: func() (map[string]string, error) { return sources(c.Out) },
	}
	if c.dir != "" {
		p.Folders[inConfig] = c.dir
	}
	if folder := c.schemasFolder(); folder != "" {
		p.Folders[inSchemas] = folder
	}
	for key, folder := range c.runtimeFolders() {
		p.Folders[key] = folder
	}
	return p
}

// runtimeFolders are those of what does not depend on the protocol, and of what once was there.
func (c Config) runtimeFolders() map[string]string {
	out := map[string]string{}
	standard := filepath.Join(c.Out, gomod.RuntimeFolder)
	add := func(key, folder string) {
		for _, sub := range append([]string{""}, emit.Folders()...) {
			out[path.Join(key, sub)] = filepath.Join(folder, sub)
		}
	}
	add(inRuntime, cmp.Or(c.Runtime, standard))
	if c.Runtime != "" && disk.Absolute(c.Runtime) != disk.Absolute(standard) {
		add(inFormer, standard)
	}
	return out
}

// isRuntime reports whether a key is that of a folder that holds emitted files alone.
func isRuntime(key string) bool {
	first, _, _ := strings.Cut(key, "/")
	return first == inRuntime || first == inFormer
}

// schemasFolder is the folder on disk whose schemas a bump replaces, "" if there is none.
func (c Config) schemasFolder() string {
	if c.as != "" {
		return c.as
	}
	if c.Schemas == "" || IsEmbedded(c.Schemas) || source.IsGit(c.Schemas) {
		return ""
	}
	return c.Schemas
}

// checkWritten refuses what ahpgen never writes.
func checkWritten(f apply.File) error {
	isEmitted := strings.HasSuffix(f.Name, emit.Suffix)
	switch {
	case (f.In == inOut || isRuntime(f.In)) && f.Kind == apply.Emitted && isEmitted:
		for _, text := range [][]byte{f.Old, f.New} {
			if text != nil && !isOurs(text) {
				return errors.New("ahpgen did not generate it")
			}
		}
		return nil
	case f.In == inOut && f.Kind == apply.Extended && !isEmitted && strings.HasSuffix(f.Name, ".go"):
		if f.Old != nil && !keeps(f.Old, f.New) {
			return errors.New("something of a person's would be gone")
		}
		return nil
	case f.In == inConfig && f.Kind == apply.Aside && (f.Name == LockName || f.Name == ConfigName || f.Name == ConfigSchemaName):
		return validJSON(f)
	case f.In == inSchemas && f.Kind == apply.Aside && !strings.HasSuffix(f.Name, ".go"):
		return validJSON(f)
	}
	return errors.New("ahpgen writes no such file there")
}

func validJSON(f apply.File) error {
	if f.New != nil && !json.Valid(bytes.TrimPrefix(f.New, []byte("\ufeff"))) {
		return errors.New("its new content is no JSON")
	}
	return nil
}

// keeps reports whether a text holds all bytes of an older one, in their order, but for methods that look
// like reducers or handlers, and imports: those that nobody touched are ahpgen's to take back. Which these
// are was settled when the change was planned; nothing else of the user's can go in any case.
func keeps(old, text []byte) bool {
	rest, empty := withoutStubs(old)
	if text == nil {
		return empty
	}
	return extends(old, text) || extends(rest, text)
}

// withoutStubs is a file without what ahpgen might take back, and without white space. It is empty if
// it declares nothing else.
func withoutStubs(text []byte) (rest []byte, empty bool) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return text, false
	}
	at := func(pos token.Pos) int { return fset.PositionFor(pos, false).Offset }
	var out []byte
	done, left := 0, false
	for _, decl := range syntax.Decls {
		start := decl.Pos()
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if !mayBeStub(decl) {
				left = true
				continue
			}
			if decl.Doc != nil {
				start = decl.Doc.Pos()
			}
		case *ast.GenDecl:
			if decl.Tok != token.IMPORT {
				left = true
				continue
			}
		}
		out = append(out, text[done:at(start)]...)
		done = at(decl.End())
	}
	out = append(out, text[done:]...)
	return bytes.Join(bytes.Fields(out), nil), !left
}

// mayBeStub reports whether a function is a method with the signature of a reducer or a handler.
func mayBeStub(fn *ast.FuncDecl) bool {
	if fn.Recv == nil {
		return false
	}
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), fn.Type); err != nil {
		return false
	}
	signature := strings.Join(strings.Fields(strings.TrimPrefix(b.String(), "func")), " ")
	return reducerSignature.MatchString(signature) || handlerShape.MatchString(signature) || strings.HasPrefix(signature, "(ctx context.Context")
}

// extends reports whether a text holds all bytes of an older one, in their order.
func extends(old, text []byte) bool {
	for _, b := range text {
		if len(old) > 0 && old[0] == b {
			old = old[1:]
		}
	}
	return len(old) == 0
}

// trust refuses to let a journal speak of a folder outside of the module, or of one that a symbolic link
// leads out of it: whoever wrote the journal could reach the files of others there. The output folder
// and that of the configuration may be anywhere, since the journal and the configuration were found
// in them.
func (c Config) trust(key string) error {
	folder := c.place().Folders[key]
	root := gomod.Root(cmp.Or(c.dir, c.Out))
	_, inside := disk.Within(root, folder)
	if !inside && key == inSchemas {
		_, inside = disk.Within(gomod.Root(c.Out), folder)
		root = gomod.Root(c.Out)
	}
	if !inside && key == inSchemas {
		return fmt.Errorf("%s is outside of the module", filepath.ToSlash(folder))
	}
	if !inside {
		return nil
	}
	real, err := filepath.EvalSymlinks(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil // nothing is there
	}
	if err != nil {
		return err
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	if _, inside := disk.Within(realRoot, real); !inside {
		return fmt.Errorf("a symbolic link leads from %s out of the module", filepath.ToSlash(folder))
	}
	return nil
}

// sources are the digests of the Go files in a folder that the user owns. What a plan adds to them
// rests on all of them.
func sources(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !disk.IsMissing(err) {
		return nil, fmt.Errorf("read output folder: %w", err)
	}
	out := map[string]string{}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !isSource(name) {
			continue
		}
		text, err := disk.ReadFile(filepath.Join(dir, name))
		if disk.IsMissing(err) {
			continue // it has just gone
		}
		if err != nil {
			return nil, fmt.Errorf("read output folder: %w", err)
		}
		if !isOurs(text) {
			out[name] = apply.Digest(text)
		}
	}
	return out, nil
}

// isSource reports whether the go command may look at a file of that name.
func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, "_") && !strings.HasPrefix(name, ".")
}
