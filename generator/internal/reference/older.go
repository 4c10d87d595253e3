// Older: what is not the same for peers of older versions that a package speaks.

package reference

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/page"
)

// Older lists what is not the same for peers of an older version.
type Older struct {
	Version string
	Untold  []Untold
}

// Untold is something that is not the same there.
type Untold struct {
	Lift     bool // on the way from there
	Kind     string
	At, What string
}

// olderKinds are the kinds of them in the order of display.
var olderKinds = []struct{ Kind, Means string }{
	{"dropped", "The other version does not have it."},
	{"otherwise", "It is said in other words."},
	{"lost", "It is said, and not all of it."},
	{"kept", "It is sent as it is, and the other version does not know it."},
	{"restated", "One version says what it stands for, and the other does not."},
	{"other rule", "The action does something else there."},
	{"snapshot", "The peer needs a snapshot."},
	{"not sent", "The other version does not have the message."},
	{"impossible", "It cannot be said. Requests are answered with an error."},
}

type olderPage struct {
	Version string
	Kinds   []olderKind
	Ways    []olderWay
}

type olderKind struct {
	Kind, Means string
	N           int
}

type olderWay struct {
	Title, Anchor string
	Rows          []olderRow
}

type olderRow struct {
	Untold
	Href string
}

func olderHref(o Older) string { return "older/" + page.Slug(o.Version) + ".html" }

// older adds the pages about older versions.
func (s *site) older() {
	for _, o := range s.Older {
		name := olderHref(o)
		p := s.from(name)
		out := &olderPage{Version: o.Version, Ways: []olderWay{{Title: "To " + o.Version, Anchor: "to"}, {Title: "From " + o.Version, Anchor: "from"}}}
		for _, k := range olderKinds {
			n := 0
			for _, u := range o.Untold {
				if u.Kind != k.Kind {
					continue
				}
				n++
				row := olderRow{Untold: u}
				if href := s.known[u.At]; href != "" {
					row.Href = p.to(href)
				}
				way := &out.Ways[0]
				if u.Lift {
					way = &out.Ways[1]
				}
				way.Rows = append(way.Rows, row)
			}
			if n > 0 {
				out.Kinds = append(out.Kinds, olderKind{k.Kind, k.Means, n})
			}
		}
		out.Ways = slices.DeleteFunc(out.Ways, func(w olderWay) bool { return len(w.Rows) == 0 })
		s.add(name, "older", "Peers of "+o.Version, out, func(f *page.Frame) {
			for _, w := range out.Ways {
				f.Contents = append(f.Contents, page.Link{Text: w.Title, Href: "#" + w.Anchor})
			}
		})
		s.entries = append(s.entries, entry{kind: "change", name: "Peers of " + o.Version, href: name, text: "What is not the same for them."})
	}
}
