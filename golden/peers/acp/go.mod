module github.com/ahpgen/ahpgen/golden/peers/acp

go 1.26.0

require (
	github.com/ahpgen/ahpgen v0.0.0
	github.com/coder/acp-go-sdk v0.13.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/coder/websocket v1.8.15 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/ahpgen/ahpgen => ../../..
