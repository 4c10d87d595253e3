// Init: the files a consumer's folder starts with.

package generator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ahpgen/ahpgen/generator/golang"
	"github.com/ahpgen/ahpgen/generator/gotext"
	"github.com/ahpgen/ahpgen/schemas"
	"github.com/ahpgen/ahpgen/templates"
)

// StarterFile is a file that Init wrote, or left alone because it was there.
type StarterFile struct {
	Path    string
	Written bool
}

// Init writes a configuration and a file with a go:generate line into dir. Paths in config are
// relative to the working directory; in the file they are relative to dir. Existing files stay.
func Init(dir string, config Config) ([]StarterFile, error) {
	config.Package = cmp.Or(config.Package, packageOf(dir))
	if !gotext.IsPackageName(config.Package) {
		return nil, &UsageError{fmt.Sprintf("%q cannot be a package name: use lower-case letters, digits and underscores", config.Package)}
	}
	if config.Schemas == "" && config.Profile != "" {
		return nil, &UsageError{"a profile goes with a folder of schemas: name it with --schemas DIR"}
	}
	for _, name := range config.Transports {
		if name != golang.WebSocket {
			return nil, &UsageError{fmt.Sprintf("there is no transport %q: %q is one", name, golang.WebSocket)}
		}
	}
	config.Schemas = cmp.Or(config.Schemas, schemas.Default())
	config.Out = "."
	if err := relativeTo(dir, &config); err != nil {
		return nil, err
	}
	text, err := configText(config)
	if err != nil {
		return nil, err
	}
	starter, err := templates.Starter(config.Package)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	var out []StarterFile
	for _, f := range []struct {
		name    string
		content []byte
	}{{ConfigName, text}, {"generate.go", starter}} {
		path := filepath.Join(dir, f.name)
		written, err := writeNew(path, f.content)
		if err != nil {
			return out, err
		}
		out = append(out, StarterFile{path, written})
	}
	return out, nil
}

// relativeTo turns the paths of a configuration into paths relative to dir.
func relativeTo(dir string, c *Config) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("find folder: %w", err)
	}
	isFile := strings.HasSuffix(c.Profile, ".json")
	for _, p := range []struct {
		path   *string
		isPath bool
	}{{&c.Schemas, !IsEmbedded(c.Schemas)}, {&c.Profile, isFile}} {
		if !p.isPath || *p.path == "" {
			continue
		}
		target, err := filepath.Abs(*p.path)
		if err != nil {
			return fmt.Errorf("find folder: %w", err)
		}
		rel, err := filepath.Rel(abs, target)
		if err != nil {
			rel = target // another volume
		}
		*p.path = filepath.ToSlash(rel)
	}
	return nil
}

// configText writes a configuration with its members in the order of the documentation.
func configText(c Config) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(struct {
		Schemas         string `json:"schemas"`
		Profile         string `json:"profile,omitempty"`
		ProtocolVersion string `json:"protocolVersion,omitempty"`
		Out             string `json:"out"`
		Package         string `json:"package"`

		Transports []string `json:"transports,omitempty"`
	}{c.Schemas, c.Profile, c.ProtocolVersion, c.Out, c.Package, c.Transports}); err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	return b.Bytes(), nil
}

// writeNew writes a file unless there is one, and says whether it did.
func writeNew(path string, content []byte) (bool, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("write: %w", err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path) // half a file would be kept the next time
		return false, fmt.Errorf("write: %w", err)
	}
	return true, nil
}
