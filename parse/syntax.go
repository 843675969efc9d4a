package parse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/jsonapi"
)

// deepestBody bounds the objects and arrays that stand in each other (contract 5.1).
const deepestBody = 64

// checkSyntax refuses a body that is not one JSON text in UTF-8 without
// duplicate members, or that is nested too deep (contract 5.1). What passes can
// be walked without a further fault.
func checkSyntax(body []byte) error {
	if len(bytes.TrimLeft(body, " \t\r\n")) == 0 {
		return invalidBody("", "The body is empty; it has to be a JSON:API document.")
	}
	if bytes.HasPrefix(body, []byte("\uFEFF")) {
		return invalidBody("", "The body starts with a byte order mark; JSON is sent without one.")
	}
	json := jsontext.NewDecoder(bytes.NewBuffer(body))
	for first := true; first || json.StackDepth() > 0; first = false {
		if _, err := json.ReadToken(); err != nil {
			return syntaxFault(body, err)
		}
		if json.StackDepth() > deepestBody {
			return invalidBody(string(json.StackPointer()), "Objects and arrays are nested more than %d deep.", deepestBody)
		}
	}
	end := int(json.InputOffset())
	if rest := bytes.TrimLeft(body[end:], " \t\r\n"); len(rest) > 0 {
		return invalidBody("", "The document ends before %s; nothing may follow it.", placeIn(body, len(body)-len(rest)))
	}
	return nil
}

// syntaxFault says where the body stops being JSON.
func syntaxFault(body []byte, err error) error {
	fault, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return fmt.Errorf("parse: read a body held in memory: %w", err)
	}
	at, pointer := placeIn(body, int(fault.ByteOffset)), string(fault.JSONPointer)
	switch {
	case errors.Is(fault.Err, io.ErrUnexpectedEOF):
		return invalidBody("", "The body ends at %s, in the middle of a value.", at)
	case errors.Is(fault.Err, jsontext.ErrDuplicateName):
		return invalidBody(pointer, "The member at %s is there a second time; leave one of the two.", at)
	default:
		// Pointers are for values that are there: one that does not end is named
		// by its position alone.
		return invalidBody("", "The body is not JSON at %s: %s.", at, strings.ToValidUTF8(fault.Err.Error(), "\uFFFD"))
	}
}

// placeIn returns the line and the column, in characters from 1, of an offset.
func placeIn(body []byte, offset int) string {
	before := body[:min(offset, len(body))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}

func invalidBody(pointer, format string, args ...any) *jsonapi.Error {
	source := jsonapi.Pointer(pointer)
	if pointer == "" {
		source = jsonapi.Source{Document: true}
	}
	return jsonapi.Errorf(jsonapi.InvalidPayload, source, format, args...)
}
