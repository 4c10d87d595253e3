// Extending: where the profile is that another one builds on.

package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/schemas"
)

// extending opens the profiles that a profile extends. Paths are relative to the file that contains them and must
// stay in the module of the first one, or in its folder if there is no module, after links are resolved: a profile cannot
// read files outside.
func extending(first string) profile.Open {
	root := gomod.Root(filepath.Dir(first))
	return func(from profile.Text, extends string) (base profile.Text, wrong, hint string, err error) {
		if !IsPath(extends) {
			if !slices.Contains(schemas.Profiles(), extends) {
				hint = similar.DidYouMean(extends, schemas.Profiles(), "name one of these, or a file with its path, such as ./base.json: "+strings.Join(schemas.Profiles(), ", "))
				return base, fmt.Sprintf("there is no embedded profile %q to extend", extends), hint, nil
			}
			base.Data, base.Name, err = schemas.Profile(extends)
			base.Key, base.Fixed = base.Name, true
			return base, "", "", err
		}
		const stay = "name a file of the same module by its path from here"
		if path.IsAbs(filepath.ToSlash(extends)) || filepath.IsAbs(extends) || strings.Contains(extends, `\`) {
			return base, "a profile is extended by a path from this file on, with slashes", stay, nil
		}
		file := filepath.Join(filepath.Dir(from.Key), filepath.FromSlash(extends))
		base = profile.Text{Name: filepath.ToSlash(disk.Display(file)), Key: file}
		rel, inside := disk.Within(root, file)
		if !inside {
			return base, fmt.Sprintf("%s is outside of the module", extends), stay, nil
		}
		base.Data, err = readInside(root, rel)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return base, fmt.Sprintf("there is no %s", base.Name), missingHint(root, rel), nil
		case err != nil:
			return base, fmt.Sprintf("%s cannot be read: %s", base.Name, err), stay, nil
		}
		return base, "", "", nil
	}
}

// readInside reads a file of a folder, which no link leads out of.
func readInside(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return fs.ReadFile(disk.RootFS(root), filepath.ToSlash(name))
}

// missingHint names a file of the same folder that is called alike.
func missingHint(root, name string) string {
	entries, _ := os.ReadDir(filepath.Join(root, filepath.Dir(name))) // those that could be read
	names := each.Map(entries, os.DirEntry.Name)
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".json") || n == filepath.Base(name) })
	return similar.DidYouMean(filepath.Base(name), names, "paths count from the file that they stand in")
}
