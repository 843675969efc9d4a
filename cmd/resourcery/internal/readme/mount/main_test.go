package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/pgtest"
	"github.com/resourcery/resourcery/internal/sample"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func TestAPI(t *testing.T) {
	api, err := newAPI(t.Context(), pgtest.Database(t, sample.Script(sample.Small)))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		user   string
		drafts bool
	}{{"", false}, {"1", true}, {"4", false}} {
		ctx := t.Context()
		if test.user != "" {
			ctx = context.WithValue(ctx, userID{}, test.user)
		}
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/post?filter[published]=false", nil))
		if drafts := !strings.Contains(w.Body.String(), `"total":0`); w.Code != http.StatusOK || drafts != test.drafts {
			t.Errorf("user %q: status %d, drafts %t: %s", test.user, w.Code, drafts, w.Body)
		}
	}
}
