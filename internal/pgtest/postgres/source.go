package postgres

import (
	"context"
	"fmt"
)

// Source is a place that a server can come from. The set is closed.
type Source int

const (
	// Given is a running server, reached by Options.DSN.
	Given Source = iota + 1
	// Docker runs a container from Options.Image.
	Docker
	// Local runs the server binaries that are installed on this machine.
	Local
	// Download fetches server binaries once, keeps them in the user's cache
	// directory and runs them.
	Download
)

// DemoOrder is for people who want to see something run: what is installed
// already comes first.
func DemoOrder() []Source { return []Source{Local, Docker, Download} }

// TestOrder is for tests: the server that was named comes first, then the one
// that is the same on every machine.
func TestOrder() []Source { return []Source{Given, Docker, Local, Download} }

// ParseSource is the inverse of String.
func ParseSource(name string) (Source, error) {
	for source := Given; source <= Download; source++ {
		if source.String() == name {
			return source, nil
		}
	}
	return 0, fmt.Errorf("unknown source of postgres %q: use %s, %s, %s or %s", name, Given, Docker, Local, Download)
}

// String is the source's name: given, docker, local or download.
func (s Source) String() string {
	switch s {
	case Given:
		return "given"
	case Docker:
		return "docker"
	case Local:
		return "local"
	case Download:
		return "download"
	default:
		panic(fmt.Sprintf("postgres: unknown source %d", int(s)))
	}
}

func (s Source) start(ctx context.Context, opts Options) (*Server, error) {
	switch s {
	case Given:
		return startGiven(ctx, opts)
	case Docker:
		return startContainer(ctx, opts)
	case Local:
		return startLocal(ctx, opts)
	case Download:
		return startDownloaded(ctx, opts)
	default:
		panic(fmt.Sprintf("postgres: unknown source %d", int(s)))
	}
}
