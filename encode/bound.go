package encode

import "github.com/resourcery/resourcery/jsonapi"

// MaxBytes is about the most bytes that a document has. What one is made of is
// bounded by itself (exec.Options.MaxResultBytes), but a number of few bytes may
// have a hundred thousand digits, and a short row a long path in annotations.
const MaxBytes = 256 << 20

// bounded refuses a document that has become too large: one of that many bytes,
// and its annotations.
func bounded(bytes int, n *annotations) error {
	if bytes+n.size() > MaxBytes {
		return tooLarge()
	}
	return nil
}

func tooLarge() error {
	return jsonapi.Errorf(jsonapi.QueryError, jsonapi.Source{},
		"The answer would have more than %d bytes; ask for a smaller page or for fewer fields.", MaxBytes)
}
