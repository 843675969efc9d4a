package postgres

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFetch downloads from a repository made of the binaries of this machine,
// or from the real one where there are none.
func TestFetch(t *testing.T) {
	if local, err := findBinaries(t.Context(), 0); err == nil {
		serveBinaries(t, local)
	}
	cache := reachableDir(t)
	home := filepath.Join(cache, "home")
	if err := fetch(t.Context(), cache, home); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("the download left %v", entries)
	}
	found, err := inspectBinaries(t.Context(), filepath.Join(home, "bin"))
	if err != nil {
		t.Fatal(err)
	}
	server, err := startCluster(t.Context(), found, Download, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Stop(); err != nil {
		t.Error(err)
	}
}

func TestFetchFails(t *testing.T) {
	serve(t, func(http.ResponseWriter, *http.Request) {})
	cache := reachableDir(t)
	err := fetch(t.Context(), cache, filepath.Join(cache, "home"))
	if err == nil || !strings.Contains(err.Error(), "download PostgreSQL") {
		t.Errorf("error: %v", err)
	}
	if entries, err := os.ReadDir(cache); err != nil || len(entries) != 0 {
		t.Errorf("the download left %v, %v", entries, err)
	}
}

// reachableDir is a temporary directory that the server's account can enter,
// which for root t.TempDir is not.
func reachableDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "resourcery-cache-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// serveBinaries puts an archive of programs that run the binaries, packed as
// the real archive is, in the place of the repository.
func serveBinaries(t *testing.T, from binaries) {
	t.Helper()
	var files bytes.Buffer
	archive := tar.NewWriter(&files)
	for _, name := range []string{"initdb", "pg_ctl", "postgres"} {
		// Copies of the binaries would look for their libraries beside them.
		content := fmt.Appendf(nil, "#!/bin/sh\nexec '%s' \"$@\"\n", filepath.Join(from.dir, name))
		header := &tar.Header{Name: "bin/" + name, Mode: 0o755, Size: int64(len(content)), Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	var jar bytes.Buffer
	packed := zip.NewWriter(&jar)
	entry, err := packed.Create("postgres.txz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Write(storeXZ(files.Bytes())); err != nil {
		t.Fatal(err)
	}
	if err := packed.Close(); err != nil {
		t.Fatal(err)
	}
	serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, ".jar") {
			http.NotFound(w, r) // there is no checksum
			return
		}
		w.Write(jar.Bytes())
	})
}

// serve answers what the default HTTP client asks for by a local handler, as
// the library that downloads uses that client.
func serve(t *testing.T, handler http.HandlerFunc) {
	t.Helper()
	kept := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = kept })
	http.DefaultTransport = localTransport{handler}
}

// storeXZ wraps data in the xz format without compressing it: one block of
// uncompressed LZMA2 chunks (https://tukaani.org/xz/xz-file-format.txt).
func storeXZ(data []byte) []byte {
	flags := []byte{0, 1} // the check is a CRC32
	sum := func(b []byte) []byte { return binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(b)) }
	pad := func(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }

	header := []byte{2, 0, 0x21, 1, 0x10, 0, 0, 0} // 12 bytes, LZMA2, a dictionary of 1 MiB
	block := append(header, sum(header)...)
	control := byte(1) // resets the dictionary
	for rest := data; len(rest) > 0; control = 2 {
		chunk := rest[:min(len(rest), 1<<16)]
		rest = rest[len(chunk):]
		block = append(block, control)
		block = binary.BigEndian.AppendUint16(block, uint16(len(chunk)-1))
		block = append(block, chunk...)
	}
	block = append(block, 0)
	unpadded := len(block) + 4
	block = append(pad(block), sum(data)...)

	index := []byte{0, 1}
	index = binary.AppendUvarint(index, uint64(unpadded))
	index = binary.AppendUvarint(index, uint64(len(data)))
	index = pad(index)
	index = append(index, sum(index)...)
	footer := append(binary.LittleEndian.AppendUint32(nil, uint32(len(index)/4-1)), flags...)

	out := append([]byte("\xfd7zXZ\x00"), flags...)
	out = append(out, sum(flags)...)
	out = append(append(out, block...), index...)
	out = append(append(out, sum(footer)...), footer...)
	return append(out, "YZ"...)
}

// localTransport is a round trip that leaves out the network.
type localTransport struct{ handler http.Handler }

func (l localTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	l.handler.ServeHTTP(recorder, request)
	return recorder.Result(), nil
}
