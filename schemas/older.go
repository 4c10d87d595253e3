// Versions that are embedded as their differences from another one: whole files would repeat, for each, what hardly changes.

package schemas

import (
	"bytes"
	"embed"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

// olderFiles have the differences, by the file of the other version. They are merged as RFC 7396 says, but a list is kept
// but for items to remove, and items to append, where these are stated instead of a list.
//
//go:embed */*/from-*.json
var olderFiles embed.FS

// older returns the embedded differences by the folder of a version.
var older = sync.OnceValue(func() map[string]string {
	names, err := fs.Glob(olderFiles, "*/*/from-*.json")
	if err != nil {
		panic(err) // the pattern is constant
	}
	out := map[string]string{}
	for _, name := range names {
		out[path.Dir(name)] = name
	}
	return out
})

var (
	builtLock sync.Mutex
	built     = map[string]fs.FS{}
)

// folderOf returns the schemas in an embedded folder such as ahp/1.0.0.
func folderOf(dir string) (fs.FS, error) {
	name, ok := older()[dir]
	if !ok {
		return fs.Sub(protocols, dir)
	}
	builtLock.Lock()
	out := built[dir]
	builtLock.Unlock()
	if out != nil {
		return out, nil
	}
	base, err := folderOf(path.Join(path.Dir(dir), strings.TrimSuffix(strings.TrimPrefix(path.Base(name), "from-"), ".json")))
	if err != nil {
		return nil, err
	}
	data, err := olderFiles.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if out, err = merged(base, data); err != nil {
		return nil, err
	}
	builtLock.Lock()
	built[dir] = out
	builtLock.Unlock()
	return out, nil
}

// merged returns a folder with differences from another.
func merged(base fs.FS, differences []byte) (fs.FS, error) {
	changes, err := parseOrdered(differences)
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(base, "*.schema.json")
	if err != nil {
		return nil, err
	}
	out := edited{base, map[string][]byte{}}
	for _, name := range names {
		if out.files[name], err = fs.ReadFile(base, name); err != nil {
			return nil, err
		}
		if change, ok := changes.members[name]; ok {
			if string(change.text) == "null" { // the version does not have the file
				out.files[name] = nil
				continue
			}
			file, err := parseOrdered(out.files[name])
			if err != nil {
				return nil, err
			}
			out.files[name] = file.merge(change).indented()
		}
	}
	return out, nil
}

// edited is a folder whose files have other texts, or are not there if that is nil.
type edited struct {
	fs.FS
	files map[string][]byte
}

func (e edited) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(e.FS, name)
	return slices.DeleteFunc(list, func(entry fs.DirEntry) bool { return e.gone(path.Join(name, entry.Name())) }), err
}

func (e edited) gone(name string) bool {
	data, ok := e.files[name]
	return ok && data == nil
}

func (e edited) ReadFile(name string) ([]byte, error) {
	if data := e.files[name]; data != nil {
		return bytes.Clone(data), nil
	}
	if e.gone(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return fs.ReadFile(e.FS, name)
}

func (e edited) Open(name string) (fs.File, error) {
	if e.gone(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f, err := e.FS.Open(name)
	if data, ok := e.files[name]; ok && err == nil {
		return editedFile{f, bytes.NewReader(data)}, nil
	}
	return f, err
}

type editedFile struct {
	fs.File
	text *bytes.Reader
}

func (f editedFile) Read(p []byte) (int, error) { return f.text.Read(p) }

// ordered is a JSON value whose members keep their order.
type ordered struct {
	names   []string
	members map[string]*ordered // of an object
	items   []*ordered          // of an array
	text    json.RawMessage     // of another value
}

func parseOrdered(data []byte) (*ordered, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return readOrdered(d)
}

func readOrdered(d *json.Decoder) (*ordered, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	v := &ordered{}
	switch token {
	case json.Delim('{'):
		v.members = map[string]*ordered{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			member, err := readOrdered(d)
			if err != nil {
				return nil, err
			}
			v.set(name.(string), member)
		}
		_, err = d.Token()
	case json.Delim('['):
		v.items = []*ordered{}
		for d.More() {
			item, err := readOrdered(d)
			if err != nil {
				return nil, err
			}
			v.items = append(v.items, item)
		}
		_, err = d.Token()
	default:
		v.text = encoded(token)
	}
	return v, err
}

func encoded(v any) json.RawMessage {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it is a string, a number, a boolean or null
	}
	return bytes.TrimSpace(out.Bytes())
}

func (v *ordered) set(name string, member *ordered) {
	if v.members[name] == nil {
		v.names = append(v.names, name)
	}
	v.members[name] = member
}

// merge returns a value with a change.
func (v *ordered) merge(change *ordered) *ordered {
	switch {
	case change.members == nil || v.members == nil && v.items == nil:
		return change
	case v.items != nil:
		return v.edit(change)
	}
	out := &ordered{names: slices.Clone(v.names), members: maps.Clone(v.members)}
	for _, name := range change.names {
		c, was := change.members[name], out.members[name]
		switch {
		case string(c.text) == "null":
			delete(out.members, name)
			out.names = slices.DeleteFunc(out.names, func(n string) bool { return n == name })
		case was == nil:
			out.set(name, c)
		default:
			out.set(name, was.merge(c))
		}
	}
	return out
}

// edit returns a list without the items to remove, and with those to append.
func (v *ordered) edit(change *ordered) *ordered {
	out := &ordered{items: slices.Clone(v.items)}
	if remove := change.members["remove"]; remove != nil {
		out.items = slices.DeleteFunc(out.items, func(item *ordered) bool {
			return slices.ContainsFunc(remove.items, func(r *ordered) bool { return bytes.Equal(r.json(), item.json()) })
		})
	}
	if more := change.members["append"]; more != nil {
		out.items = append(out.items, more.items...)
	}
	return out
}

func (v *ordered) json() []byte {
	switch {
	case v.members != nil:
		parts := make([][]byte, len(v.names))
		for i, name := range v.names {
			parts[i] = slices.Concat(encoded(name), []byte(":"), v.members[name].json())
		}
		return slices.Concat([]byte("{"), bytes.Join(parts, []byte(",")), []byte("}"))
	case v.items != nil:
		parts := make([][]byte, len(v.items))
		for i, item := range v.items {
			parts[i] = item.json()
		}
		return slices.Concat([]byte("["), bytes.Join(parts, []byte(",")), []byte("]"))
	}
	return v.text
}

func (v *ordered) indented() []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, v.json(), "", "  "); err != nil {
		panic(err) // it was just encoded
	}
	out.WriteByte('\n')
	return out.Bytes()
}
