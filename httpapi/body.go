package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/resourcery/resourcery/jsonapi"
)

// body reads the body of a request. One over the limit is refused, before
// anything is read where the request tells its length (contract 5.1).
func (s *rest) body(r *http.Request) ([]byte, error) {
	if r.ContentLength > s.maxBodyBytes {
		return nil, s.tooLarge()
	}
	if r.Body == nil { // as in requests that no server has read
		return nil, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, s.maxBodyBytes))
	if err == nil {
		return body, nil
	}
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, s.tooLarge()
	}
	if gone := r.Context().Err(); gone != nil {
		return nil, fmt.Errorf("read the body: %w", gone)
	}
	return nil, &jsonapi.Error{
		Code:   jsonapi.InvalidPayload,
		Detail: "The body broke off before its end; send it whole.",
		Cause:  fmt.Errorf("read the body: %w", err),
	}
}

func (s *rest) tooLarge() error {
	return jsonapi.Errorf(jsonapi.PayloadTooLarge, jsonapi.Source{},
		"At most %d bytes of a body are read; send less at once.", s.maxBodyBytes)
}
