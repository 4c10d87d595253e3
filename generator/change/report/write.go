// Write: the entry point for all formats.

package report

import (
	"fmt"
	"io"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Write writes the comparison in the given format, for one side or both.
func (d *Diff) Write(w io.Writer, format string, as protocol.Side) error {
	switch format {
	case "json":
		return d.json(w, as)
	case "github":
		return d.github(w, as)
	case "html":
		return d.html(w, as)
	case "markdown":
		return emit(w, d.markdown(as))
	}
	return emit(w, d.text(as))
}

func emit(w io.Writer, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("print the comparison: %w", err)
	}
	return nil
}
