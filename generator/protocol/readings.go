// Readings: what values stand for that JSON has no type for.

package protocol

// Reading is what a value stands for.
type Reading int

// The readings that there are.
const (
	Plain    Reading = iota
	Base64           // a text that stands for bytes
	DateTime         // a text that stands for a time, as RFC 3339 has it

	Milliseconds // a number that says how long something takes
	Seconds
	MillisecondsSince1970 // a number that stands for a time
	SecondsSince1970
)

// readings are what there is besides plain values, in words.
var readings = map[Reading]string{
	Base64: "bytes in base64", DateTime: "a date and time",
	Milliseconds: "milliseconds", Seconds: "seconds", MillisecondsSince1970: "milliseconds since 1970", SecondsSince1970: "seconds since 1970",
}

// String says what it is, for messages; "" for what is plain.
func (r Reading) String() string { return readings[r] }

// Time says in words what a number counts, "" for other values.
func (r Reading) Time() string {
	if r < Milliseconds {
		return ""
	}
	return r.String()
}

// TimeReading is the reading of a number in these words, Plain if there is none.
func TimeReading(words string) Reading {
	for r := range readings {
		if words != "" && r.Time() == words {
			return r
		}
	}
	return Plain
}

// Stands says what the values of a member are.
func (f *Field) Stands() string {
	switch {
	case f.Reading != Plain:
		return f.Reading.String()
	case Underlying(f.Type) == String:
		return "any text"
	}
	return "any number"
}
