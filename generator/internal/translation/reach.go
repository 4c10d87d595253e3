// Reach: what messages can have in a direction. Where functions account for a member in one direction alone, the types in it
// are compared for the other one, and what is wrong with the former does not matter.

package translation

// reach follows the pairs from the roots.
func (d *deriver) reach(roots whole) {
	for _, to := range both {
		d.reached[to] = map[*node]bool{}
		for _, r := range roots.methods {
			d.follow(to, r.params)
			d.follow(to, r.result)
		}
		d.follow(to, roots.envelope)
		d.follow(to, roots.snapshot)
		for _, data := range roots.data {
			d.follow(to, data)
		}
	}
}

func (d *deriver) follow(to Direction, n *node) {
	if n == nil || d.reached[to][n] {
		return
	}
	d.reached[to][n] = true
	h := &n.half[to]
	d.follow(to, h.alias)
	d.follow(to, h.item)
	for _, e := range h.edges {
		d.follow(to, e.child)
	}
	for _, a := range h.arms {
		d.follow(to, a.child)
	}
	for _, b := range n.beside {
		if !b.at.skip[to] {
			d.follow(to, b.child)
		}
	}
}
