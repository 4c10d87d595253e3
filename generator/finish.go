// Finish: reducers that come with a protocol, as package files or as a starting point for the user.

package generator

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/finished"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/lock"
)

// hasFinished reports whether any set has a finished reducer for an action type.
func hasFinished(sets []*finished.Set) func(tag string) bool {
	return func(tag string) bool {
		return slices.ContainsFunc(sets, func(s *finished.Set) bool { return s.Has(tag) })
	}
}

// choose chooses finished reducers from the first set, unless another fits better: schemas may be a snapshot between
// versions.
func choose(w *writers, own []string, sets []*finished.Set, files []emit.Output) (*finished.Choice, error) {
	emitted := emittedAs(w.pkg, files)
	var best *finished.Choice
	for _, set := range sets {
		c, err := set.Choose(emitted, own, w.hand)
		if err != nil {
			return nil, err
		}
		if best == nil || c.Fitting() > best.Fitting() {
			best = c
		}
		if best.Complete() {
			break
		}
	}
	return best, nil
}

// emittedAs returns a package as finished reducers see it.
func emittedAs(pkg *golang.Package, files []emit.Output) *finished.Emitted {
	texts := make(map[string][]byte, len(files))
	for _, f := range files {
		texts[f.Name] = f.Content
	}
	return finished.NewEmitted(pkg, texts)
}

// finish adds the files of finished reducers.
func (p *Plan) finish(w *writers, sets []*finished.Set, files []emit.Output) ([]emit.Output, error) {
	if len(sets) == 0 || w.hand == nil || w.pkg.Reducers == nil {
		return files, nil
	}
	var err error
	if w.choice, err = choose(w, p.own, sets, files); err != nil {
		return nil, err
	}
	if w.hand.Follow(func(method string, text func() string) bool { return p.follows(w, method, text) }) {
		if w.choice, err = choose(w, p.own, sets, files); err != nil { // current bodies need other helpers
			return nil, err
		}
	}
	texts, err := w.choice.Files(emit.Header(w.pkg))
	if err != nil {
		return nil, err
	}
	p.finished = map[string]bool{}
	for name, text := range texts {
		p.finished[name+emit.Suffix] = true
		files = append(files, emit.Output{Name: name + emit.Suffix, Content: text})
	}
	for _, a := range w.choice.Reducers {
		p.Finished = append(p.Finished, a.Method)
	}
	for _, a := range w.choice.Yours {
		p.Yours = append(p.Yours, a.Method)
	}
	p.Unfit = map[string]string{}
	for _, c := range w.pkg.Reducers.Channels {
		for _, a := range w.pkg.Reducers.Hand(c) {
			if why := w.choice.Why(a); why != "" {
				p.Unfit[w.pkg.Own("Reducer")+"."+a.Method] = why
			}
		}
	}
	return files, nil
}

// follows reports whether a method that was taken over still has its original body from before a bump, so that it can
// be updated to the body of the new version, or removed with its action. If the new version has no body for it, the method
// stays: a stub is no better than what worked.
func (p *Plan) follows(w *writers, method string, text func() string) bool {
	was := p.started[method]
	if was == "" || lock.Digest([]byte(text())) != was {
		return false
	}
	return w.starts(method) != nil || !w.wants(method)
}

// wants reports whether the user must provide a reducer.
func (w *writers) wants(method string) bool {
	return slices.ContainsFunc(w.pkg.Reducers.Channels, func(c *golang.ChannelReducer) bool {
		return slices.ContainsFunc(w.pkg.Reducers.Hand(c), func(a *golang.ActionReducer) bool {
			return w.pkg.Own("Reducer")+"."+a.Method == method && !w.isFinished(a)
		})
	})
}

// isFinished reports whether a finished reducer is emitted.
func (w *writers) isFinished(a *golang.ActionReducer) bool {
	return w.choice != nil && slices.Contains(w.choice.Reducers, a)
}

// starts returns the body the user starts from, or nil for a stub.
func (w *writers) starts(method string) *finished.Start {
	if w.choice == nil {
		return nil
	}
	for i, s := range w.choice.Starts {
		if w.pkg.Own("Reducer")+"."+s.Reducer.Method == method {
			return &w.choice.Starts[i]
		}
	}
	return nil
}
