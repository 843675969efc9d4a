package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rs/cors"
)

// anyOrigin stands for every origin there is.
const anyOrigin = "*"

// preflightAge is how long browsers may keep what a preflight told them.
const preflightAge = time.Hour

// crossOrigin returns the handler with answers for browsers that call from other
// origins; without origins, the handler itself.
//
// Browsers are never told that they may send credentials of their own: callers
// are known by the Authorization header, which the calling script sets, and a
// cookie of something else on this host shall not travel with its requests.
func crossOrigin(origins []string, h http.Handler) (http.Handler, error) {
	if len(origins) == 0 {
		return h, nil
	}
	for _, origin := range origins {
		if err := checkOrigin(origin); err != nil {
			return nil, err
		}
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete,
		},
		AllowedHeaders: []string{"Accept", "Authorization", "Content-Type", "If-Match", "If-None-Match", "X-Request-Id", "X-Requested-With"},
		ExposedHeaders: []string{"ETag", "Location", "X-Request-Id", "Retry-After"},
		MaxAge:         int(preflightAge.Seconds()),
	}).Handler(h), nil
}

// checkOrigin refuses what no browser would ever call from.
func checkOrigin(origin string) error {
	if origin == anyOrigin {
		return nil
	}
	refused := fmt.Errorf("--cors-origins %q is no origin; write scheme and host as browsers send them, such as https://app.example.org or https://*.example.org, without a path, or * for any", origin)
	u, err := url.Parse(origin)
	if err != nil || u.Scheme == "" || u.Host == "" || u.Hostname() == "" {
		return refused
	}
	host, wild := strings.CutPrefix(u.Host, "*.")
	if origin != u.Scheme+"://"+u.Host || origin != strings.ToLower(origin) || strings.Contains(host, "*") || wild && !strings.Contains(host, ".") {
		return refused
	}
	return nil
}
