package main

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// A machine is what the results say of where they were measured.
type machine struct {
	OS, Kernel, Processor string
	Processors            int
	Memory                string
	Go, Pgx               string
	Revision              string // of this module, "" where it is not known
}

func describeMachine() machine {
	m := machine{
		OS: runtime.GOOS + "/" + runtime.GOARCH, Processors: runtime.GOMAXPROCS(0), Go: runtime.Version(),
		Kernel: firstLine("/proc/sys/kernel/osrelease"), Processor: field("/proc/cpuinfo", "model name"), Memory: field("/proc/meminfo", "MemTotal"),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return m
	}
	for _, d := range info.Deps {
		if d.Path == "github.com/jackc/pgx/v5" {
			m.Pgx = d.Version
		}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			m.Revision = s.Value
		}
	}
	return m
}

// firstLine is that of a file, "" where there is none.
func firstLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return string(line)
}

// field is the value of the first line `name: value` of a file, "" if there is
// none.
func field(path, name string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
