// Peers over WebSocket libraries that ahpgen itself does not use.
module github.com/ahpgen/ahpgen/golden/peers/websocket

go 1.26.0

require (
	github.com/ahpgen/ahpgen v0.0.0
	github.com/gobwas/ws v1.5.0
	github.com/gorilla/websocket v1.5.3
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/coder/websocket v1.8.15 // indirect
	github.com/gobwas/httphead v0.1.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/ahpgen/ahpgen => ../../..
