// Package websocket lets clients and hosts on gorilla/websocket and gobwas/ws, which others wrote, talk with what is generated.
package websocket
