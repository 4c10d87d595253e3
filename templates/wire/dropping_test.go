package wire_test

import (
	"strings"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

// TestItemsAreDroppedWhereTheyMayBe: of lists that are members of the object, but not of one that is dropped as a whole.
func TestItemsAreDroppedWhereTheyMayBe(t *testing.T) {
	for _, c := range []struct {
		text       string
		most       int
		undivided  bool
		want, errs string
	}{
		{`{"a":["x",1,"y",{}]}`, 2, false, "x y", "a[1]: want string, got number;a[3]: want string, got object;"},
		{`{"a":["x",1,"y",{}]}`, 1, false, "", "a[3]: want string, got object"},
		{`{"a":["x",1,"y"]}`, 1, true, "", "a[1]: want string, got number"},
		{`{"a":["x"]}`, 1, true, "x", ""},
		{`{"a":["1","2","3","4","5","6","7","8",9,"10",null]}`, 9, false, "1 2 3 4 5 6 7 8 10", "a[8]: want string, got number;a[10]: want string, got null;"},
		{`{"b":{"a":[1]}}`, 9, false, "", "b: a[0]: want string, got number"},
		{`[["x",1]]`, 9, false, "", "[0][1]: want string, got number"},
	} {
		d := wire.NewDecoder([]byte(c.text))
		d.DropItems(c.most)
		var list []string
		var read func()
		read = func() {
			for k := d.Object(); k != nil; k = d.NextKey() {
				if string(k) == "b" {
					read()
					continue
				}
				if c.undivided {
					d.Undivided()
				}
				list = codec.Strs(&d)
			}
		}
		if d.Kind() == '[' {
			codec.List(&d, codec.Strs)
		} else {
			read()
		}
		if err := d.Finish(); err != nil {
			check(t, err.Error(), c.errs)
			continue
		}
		check(t, strings.Join(list, " "), c.want)
		errs := ""
		for _, e := range d.DroppedItems() {
			errs += e.Error() + ";"
		}
		check(t, errs, c.errs)
	}
}
