package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/resourcery/resourcery/jsonapi"
)

func TestBody(t *testing.T) {
	s := &rest{maxBodyBytes: 10}
	for _, c := range []struct {
		name   string
		body   io.Reader
		length int64
		want   string // the body, or the beginning of the refusal
	}{
		{"none", http.NoBody, 0, ""},
		{"as long as may be", strings.NewReader("0123456789"), 10, "0123456789"},
		{"of a length that is not told", strings.NewReader("0123456789"), -1, "0123456789"},
		{"too long", strings.NewReader("0123456789a"), 11, "413 payload-too-large: At most 10 bytes"},
		{"too long, as it turns out", strings.NewReader("0123456789a"), -1, "413 payload-too-large: At most 10 bytes"},
		{"too long, by its length alone", iotest.ErrReader(errors.New("it was read")), 11, "413 payload-too-large: At most 10 bytes"},
		{"broken off", io.MultiReader(strings.NewReader("01"), iotest.ErrReader(io.ErrUnexpectedEOF)), 10, "400 invalid-payload: The body broke off"},
	} {
		r := httptest.NewRequest("POST", "/api/post", c.body)
		r.ContentLength = c.length
		body, err := s.body(r)
		got := string(body)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) || err == nil && got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if body, err := s.body(&http.Request{Method: "POST"}); len(body) > 0 || err != nil {
		t.Errorf("without any: %q, %v", body, err)
	}
}

// A body that breaks off as its client leaves is no mistake of the client's.
func TestBodyOfWhoHasLeft(t *testing.T) {
	ctx, leave := context.WithCancel(context.Background())
	leave()
	r := httptest.NewRequestWithContext(ctx, "POST", "/api/post", iotest.ErrReader(io.ErrUnexpectedEOF))
	_, err := (&rest{maxBodyBytes: 10}).body(r)
	if !errors.Is(err, context.Canceled) || jsonapi.AsErrors(err)[0].Code != jsonapi.UnknownError {
		t.Error(err)
	}
}
