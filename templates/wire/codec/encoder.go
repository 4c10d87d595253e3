// Scalars: text, numbers and raw JSON, appended to a buffer.

package codec

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// AppendAs appends anything else, with what appends an item.
func AppendAs[V any](dst []byte, v V, encode func(V, []byte, *wire.Encoder) []byte) ([]byte, error) {
	var e wire.Encoder
	return e.Finish(dst, encode(v, dst, wire.NoEscape(&e)))
}

func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

func appendUint(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 10) }

func appendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// appendFloat appends the shortest text that stands for f, in the format of encoding/json. JSON has no
// infinity and nothing that is no number.
func appendFloat(dst []byte, e *wire.Encoder, f float64) []byte {
	abs := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return e.Fail(dst, fmt.Sprintf("JSON has no %v", f))
	case f != 0 && abs < 1e15 && f == math.Trunc(f):
		return strconv.AppendInt(dst, int64(f), 10)
	case f == 0 || abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 to e-9
		dst = dst[:n-1]
	}
	return dst
}

// appendRaw appends raw as it is, once it is known to be JSON.
func appendRaw(dst []byte, e *wire.Encoder, raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return e.Fail(dst, "raw JSON is empty")
	}
	d := wire.NewDecoder(raw)
	d.Skip()
	if err := d.Finish(); err != nil {
		return e.FailBecause(dst, wire.Within("raw JSON", err))
	}
	return append(dst, raw...)
}
