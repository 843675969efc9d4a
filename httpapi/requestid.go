package httpapi

import (
	"crypto/rand"
	"net/http"
	"strings"
)

const (
	requestIDHeader  = "X-Request-Id"
	requestIDLength  = 128
	requestIDSymbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~:+/="
)

// requestID returns the id under which a request goes: the one that a
// middleware has already put on the answer, else the client's where it is a
// plain token, else a new one.
func requestID(answer, request http.Header) string {
	if id := answer.Get(requestIDHeader); id != "" {
		return id
	}
	if ids := request[requestIDHeader]; len(ids) == 1 && isRequestID(ids[0]) {
		return ids[0]
	}
	return rand.Text()
}

// isRequestID reports whether id is safe to repeat in headers and logs.
func isRequestID(id string) bool {
	return id != "" && len(id) <= requestIDLength && strings.Trim(id, requestIDSymbols) == ""
}
