// The second version of encoding/json.

//go:build goexperiment.jsonv2

package codec

import jsonv2 "encoding/json/v2"

func init() {
	decoders = append(decoders, struct {
		name   string
		decode func([]byte, any) error
	}{"encoding-json-v2", func(data []byte, v any) error { return jsonv2.Unmarshal(data, v) }})
}
