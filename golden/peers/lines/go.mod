// JSON-RPC libraries that speak lines, which ahpgen itself does not use.
module github.com/ahpgen/ahpgen/golden/peers/lines

go 1.26.0

replace github.com/ahpgen/ahpgen => ../../..

require (
	github.com/ahpgen/ahpgen v0.0.0
	github.com/creachadair/jrpc2 v1.3.6
	github.com/stretchr/testify v1.12.1
	golang.org/x/exp/jsonrpc2 v0.0.0-20260709172345-9ea1abe57597
)

require (
	github.com/creachadair/mds v0.31.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/exp/event v0.0.0-20260611194520-c48552f49976 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/xerrors v0.0.0-20240903120638-7835f813f4da // indirect
)
