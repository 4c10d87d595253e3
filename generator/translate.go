// Translate: functions between versions that come with a protocol, and stubs for those that are the user's.

package generator

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/internal/translation"
	"github.com/ahpgen/ahpgen/generator/internal/userfile"
)

// functions returns the functions that the translators of a package use, each once, in alphabetical order.
func (s *spoken) functions() []translation.Need {
	var out []translation.Need
	for _, p := range s.pairs {
		out = append(out, p.Needs...)
	}
	slices.SortStableFunc(out, func(a, b translation.Need) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(out, func(a, b translation.Need) bool { return a.Name == b.Name })
}

// settleFunctions decides which functions come with the protocol; the others are the user's.
func (s *spoken) settleFunctions(protocol string) (err error) {
	functions := s.functions()
	if len(functions) == 0 {
		return nil
	}
	if s.finished, err = finished.ReadTranslations(protocol); err != nil {
		return err
	}
	s.yours = each.Where(functions, func(n translation.Need) bool { return !s.finished.Has(n.Name) })
	return nil
}

// own returns the names of the user's functions.
func (s *spoken) own() []string {
	return each.Map(s.yours, func(n translation.Need) string { return n.Name })
}

// files returns the files with the functions that come with the protocol.
func (s *spoken) files(pkg *golang.Package) []emit.Output {
	if s.finished == nil {
		return nil
	}
	var names []string
	for _, n := range s.functions() {
		if s.finished.Has(n.Name) {
			names = append(names, n.Name)
		}
	}
	var out []emit.Output
	for name, text := range s.finished.Files(names, emit.Header(pkg), pkg.Name, pkg.Wire) {
		out = append(out, emit.Output{Name: name + emit.Suffix, Content: text})
	}
	slices.SortFunc(out, func(a, b emit.Output) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// translationsFile is the initial file of the user's functions.
const translationsFile = "translations.go"

// translationStubs returns the functions that the user must provide, as methods of an emitted type.
func translationStubs(pkg *golang.Package, yours []translation.Need) []userfile.Stub {
	var out []userfile.Stub
	for _, n := range yours {
		doc := fmt.Sprintf("%s makes objects of older versions of each %s.", n.Name, n.At)
		if n.To == translation.Lift {
			doc = fmt.Sprintf("%s makes each %s of an object of an older version.", n.Name, n.At)
		}
		out = append(out, userfile.Stub{
			Receiver: golang.TranslationsType, Name: n.Name, Signature: "(o *translate.Object, c *translate.Context) error",
			Body: "// " + unfinished + " change the members of o.\nreturn c.Impossible(" + gotext.Literal(n.Name+" is not written yet") + ")",
			Doc:  []string{doc + " " + gotext.Clean(n.Why)}, Imports: map[string]string{"translate": pkg.Wire + "/translate"},
			Group: golang.TranslationsType, File: translationsFile,
		})
	}
	return out
}

// translationsHeader returns the beginning of their file.
func translationsHeader(pkg *golang.Package) string {
	return fileHeader(pkg.Name, "Conversion of messages for older versions, where the profile names functions. When it names more,",
		"ahpgen adds stubs for them; what you write here stays as it is.")
}
