// Translations: which files a package gets, and what they are in it.

package finished

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/schemas"
)

func TestTranslationsBringWhatTheyNeed(t *testing.T) {
	set := &Translations{files: map[string]*translationFile{}, in: map[string]string{}}
	for name, text := range map[string]string{
		"notes.go":  "// Notes.\n\npackage translations\n\nimport \"github.com/ahpgen/ahpgen/templates/wire/translate\"\n\nfunc lowerNote(o *translate.Object, c *translate.Context) error { return translationHelp(o) }\n",
		"help.go":   "package translations\n\nfunc translationHelp(o any) error { return nil }\n",
		"shapes.go": "package translations\n\nfunc lowerShape() {}\n",
	} {
		require.NoError(t, set.add(name, []byte(text)))
	}
	require.True(t, set.Has("lowerNote"))
	require.False(t, set.Has("liftNote"))
	got := set.Files([]string{"lowerNote", "liftNote"}, "// Header", "p", "example.com/p/wire")
	require.Equal(t, []string{"translations_help", "translations_notes"}, slices.Sorted(maps.Keys(got)))
	require.Equal(t, "// Header\n\n// Notes.\n\npackage p\n\nimport \"example.com/p/wire/translate\"\n\nfunc lowerNote(o *translate.Object, c *translate.Context) error { return translationHelp(o) }\n", string(got["translations_notes"]))
}

// TestEachProtocolsTranslationsCanBeRead reads those that are embedded.
func TestEachProtocolsTranslationsCanBeRead(t *testing.T) {
	for _, protocol := range schemas.Profiles() {
		_, err := ReadTranslations(protocol)
		require.NoError(t, err, protocol)
	}
}
