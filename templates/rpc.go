// The runtime of calls: what typed methods, handlers and messages share.

package templates

import "embed"

//go:embed runtime/rpc.go runtime/message.go runtime/version.go runtime/meta.go
var rpcFiles embed.FS

// RPC returns the runtime of calls as files of the named package, by file name without suffix: what
// every package with methods has, and the functions for metadata where there is any.
func RPC(header, pkg string, methods, meta bool) (map[string][]byte, error) {
	names := map[string]string{}
	if methods {
		names["rpc"], names["message"], names["version"] = "rpc", "rpc_message", "rpc_version"
	}
	if meta {
		names["meta"] = "rpc_meta"
	}
	out := map[string][]byte{}
	for file, name := range names {
		var err error
		if out[name], err = emitted(rpcFiles, header, pkg, file); err != nil {
			return nil, err
		}
	}
	return out, nil
}
