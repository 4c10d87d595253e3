// Package websocket lets clients and hosts on gorilla/websocket, which others wrote, talk with what is generated.
package websocket
