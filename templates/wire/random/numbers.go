// Numbers: integers and floats within bounds.

package random

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
)

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Int returns an integer from low to high that is a multiple, mostly a small one. If there is none, it returns low.
func Int[N integer](d *Draw, low, high, multiple N) N {
	first, last := new(big.Int).SetInt64(int64(low)), new(big.Int).SetInt64(int64(high))
	if low >= 0 {
		first.SetUint64(uint64(low))
	}
	if high >= 0 {
		last.SetUint64(uint64(high))
	}
	unit := new(big.Int).SetUint64(uint64(multiple))
	n := steps(d, first, last, unit)
	if n == nil {
		return low
	}
	if n.IsInt64() {
		return N(n.Int64())
	}
	return N(n.Uint64())
}

// steps returns a multiple of unit between two bounds, or nil.
func steps(d *Draw, first, last, unit *big.Int) *big.Int {
	from, rest := new(big.Int).DivMod(first, unit, new(big.Int))
	if rest.Sign() > 0 {
		from.Add(from, big.NewInt(1))
	}
	to := new(big.Int).Div(last, unit)
	if from.Cmp(to) > 0 {
		return nil
	}
	start := new(big.Int) // the multiple next to zero
	if from.Sign() > 0 {
		start.Set(from)
	} else if to.Sign() < 0 {
		start.Set(to)
	}
	offset := new(big.Int)
	switch d.below(8) {
	case 7:
		offset.SetUint64(d.next())
	default:
		offset.SetUint64(d.next() % 100)
	}
	if to.Sign() < 0 || from.Sign() < 0 && d.Bool() {
		offset.Neg(offset)
	}
	n := start.Add(start, offset)
	switch {
	case n.Cmp(to) > 0:
		span := new(big.Int).Add(new(big.Int).Sub(to, from), big.NewInt(1))
		n.Add(from, n.Mod(n, span))
	case n.Cmp(from) < 0:
		n.Set(from)
	}
	return n.Mul(n, unit)
}

// Bounds are those of a number, as JSON. "" is none.
type Bounds struct{ Minimum, ExclusiveMinimum, Maximum, ExclusiveMaximum, MultipleOf string }

// Float returns a number within bounds.
func (d *Draw) Float(b Bounds) float64 {
	low, high := float(b.Minimum, -math.MaxFloat64), float(b.Maximum, math.MaxFloat64)
	if x := float(b.ExclusiveMinimum, low); x >= low && b.ExclusiveMinimum != "" {
		low = math.Nextafter(x, math.Inf(1))
	}
	if x := float(b.ExclusiveMaximum, high); x <= high && b.ExclusiveMaximum != "" {
		high = math.Nextafter(x, math.Inf(-1))
	}
	if unit, ok := new(big.Rat).SetString(b.MultipleOf); ok && unit.Sign() > 0 {
		return multiple(d, low, high, unit)
	}
	v := float64(d.below(1000))
	if d.Bool() {
		v += float64(d.below(1000)) / 1000
	}
	if d.Bool() {
		v = -v
	}
	if v >= low && v <= high {
		return v
	}
	if span := high - low; span < 1e15 {
		return min(high, low+span*float64(d.below(1000))/1000)
	}
	if low > 0 {
		return low + math.Abs(v)
	}
	return high - math.Abs(v)
}

// multiple returns a multiple between two bounds. If there is none, it returns the lower one.
func multiple(d *Draw, low, high float64, unit *big.Rat) float64 {
	at := func(bound float64) *big.Rat {
		r, _ := new(big.Rat).SetString(strconv.FormatFloat(max(-1e15, min(1e15, bound)), 'g', -1, 64))
		return r.Quo(r, unit)
	}
	from, to := at(low), at(high)
	first, last := new(big.Int).Div(from.Num(), from.Denom()), new(big.Int).Div(to.Num(), to.Denom())
	if !from.IsInt() {
		first.Add(first, big.NewInt(1)) // it was rounded down
	}
	n := steps(d, first, last, big.NewInt(1))
	if n == nil {
		return low
	}
	f, _ := new(big.Rat).Mul(new(big.Rat).SetInt(n), unit).Float64()
	return f
}

func float(text string, otherwise float64) float64 {
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return f
	}
	return otherwise
}

// Number returns a number within bounds as it is written.
func (d *Draw) Number(b Bounds) json.Number {
	return json.Number(strconv.FormatFloat(d.Float(b), 'f', -1, 64))
}
