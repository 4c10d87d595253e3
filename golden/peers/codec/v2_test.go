// The second version of encoding/json, which Go has from 1.27 on.

//go:build go1.27

package codec

import jsonv2 "encoding/json/v2"

func init() {
	decoders = append(decoders, struct {
		name   string
		decode func([]byte, any) error
	}{"encoding-json-v2", func(data []byte, v any) error { return jsonv2.Unmarshal(data, v) }})
}

// withV2 adds it to the contenders of a payload.
func withV2[T any](all []contender) []contender {
	return append(all, contender{"encoding/json/v2", func(data []byte) error { return jsonv2.Unmarshal(data, new(T)) }})
}
