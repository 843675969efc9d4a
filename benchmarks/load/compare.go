package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
)

// compared is how many requests of each workload are compared.
const compared = 10

// An equality says how the answers of a workload compare.
type equality struct {
	Workload string
	Requests int
	Bytes    int // of the library's first document
}

// compare has all contenders answer the same requests. Answers of those that are
// said to be the library's have to be: status, headers but for the request's id,
// and each byte. The others have to mean the same.
func (p *program) compare(ctx context.Context, d *database, all *contenders) ([]equality, error) {
	p.progress("comparing the answers")
	var out []equality
	for _, w := range p.workloads {
		requests := w.Requests(p.size)
		requests = requests[:min(len(requests), compared)]
		e := equality{Workload: w.Name, Requests: len(requests)}
		for _, r := range requests {
			want := answer{}
			for i, c := range all.list {
				if !c.answers(w) {
					continue
				}
				if err := p.restore(ctx, d, w); err != nil {
					return nil, err
				}
				got, err := c.answer(ctx, r)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", w.Name, c.name, err)
				}
				if i == 0 {
					want = got
					continue
				}
				if err := want.compare(got, c.byteForByte); err != nil {
					return nil, fmt.Errorf("%s: %s %s: the answer of %s is another one than the library's: %w", w.Name, r.Method, r.URI(), c.name, err)
				}
			}
			if e.Bytes == 0 {
				e.Bytes = len(want.body)
			}
		}
		out = append(out, e)
		if err := p.restore(ctx, d, w); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// An answer is one that is compared.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// answer asks the contender and keeps what it says.
func (c *contender) answer(ctx context.Context, r blog.Request) (answer, error) {
	base := "http://blog.example"
	if c.address != "" {
		base = "http://" + c.address
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, base+r.URI(), strings.NewReader(r.Body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Accept", accepted)
	if r.Body != "" {
		request.Header.Set("Content-Type", accepted)
	}
	var got *http.Response
	if c.address == "" {
		recorder := httptest.NewRecorder()
		c.handler.ServeHTTP(recorder, request)
		got = recorder.Result()
	} else if got, err = http.DefaultClient.Do(request); err != nil {
		return answer{}, err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		return answer{}, err
	}
	if got.StatusCode >= 300 {
		return answer{}, fmt.Errorf("status %d: %s", got.StatusCode, text)
	}
	got.Header.Del("X-Request-Id")
	got.Header.Del("Date") // net/http's
	return answer{got.StatusCode, got.Header, text}, nil
}

// compare returns where another answer differs.
func (a answer) compare(b answer, byteForByte bool) error {
	if a.status != b.status {
		return fmt.Errorf("status %d, want %d", b.status, a.status)
	}
	if !byteForByte {
		return a.compareMeaning(b)
	}
	if !reflect.DeepEqual(a.header, b.header) {
		return fmt.Errorf("headers %v, want %v", b.header, a.header)
	}
	if !bytes.Equal(a.body, b.body) {
		at := 0
		for at < min(len(a.body), len(b.body)) && a.body[at] == b.body[at] {
			at++
		}
		return fmt.Errorf("at byte %d of %d: %s, want, of %d: %s", at, len(b.body), around(b.body, at), len(a.body), around(a.body, at))
	}
	return nil
}

func (a answer) compareMeaning(b answer) error {
	var want, got any
	if err := json.Unmarshal(a.body, &want); err != nil {
		return err
	}
	if err := json.Unmarshal(b.body, &got); err != nil {
		return err
	}
	return difference("", want, got)
}

// difference returns where two JSON values differ.
func difference(path string, want, got any) error {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok || len(got) != len(want) {
			return fmt.Errorf("at %s: %.300v, want %.300v", path, got, want)
		}
		for name, value := range want {
			other, ok := got[name]
			if !ok {
				return fmt.Errorf("at %s: no member %s", path, name)
			}
			if err := difference(path+"/"+name, value, other); err != nil {
				return err
			}
		}
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return fmt.Errorf("at %s: %d elements, want %d", path, len(got), len(want))
		}
		for i, value := range want {
			if err := difference(fmt.Sprintf("%s/%d", path, i), value, got[i]); err != nil {
				return err
			}
		}
	default:
		if want != got {
			return fmt.Errorf("at %s: %v, want %v", path, got, want)
		}
	}
	return nil
}

// around is the text about a position.
func around(text []byte, at int) string {
	return fmt.Sprintf("%q", text[max(0, at-60):min(len(text), at+60)])
}
