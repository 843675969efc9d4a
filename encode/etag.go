package encode

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/resourcery/resourcery/exec"
	"github.com/resourcery/resourcery/sqlgen"
)

// documentHash is how many bytes of a document's hash stand in its tag.
const documentHash = 16

// ETag returns the entity tag of a document that AppendDocument has made of r,
// with its quotes: `"<row>-<document>"` (contract 5.11). The first part is the
// digest of the resource's row and the same on every read of it that one role
// makes; the second tells documents of that row apart. It returns "" where the
// document is not that of a single resource, or the plan brought no digest.
func ETag(r *exec.Result, document []byte) string {
	row := rowDigest(r)
	if row == nil {
		return ""
	}
	sum := sha256.Sum256(document)
	var room [2*documentHash + 48]byte
	tag := append(append(room[:0], '"'), row...)
	tag = hex.AppendEncode(append(tag, '-'), sum[:documentHash])
	return string(append(tag, '"'))
}

// rowDigest returns the digest of the one row of the page, nil if there is none.
func rowDigest(r *exec.Result) []byte {
	for i, st := range r.Pipeline.Statements {
		if st.Part == sqlgen.Page && st.Digest > 0 && r.Parts[i].Len() == 1 {
			return r.Parts[i].Value(0, st.Digest)
		}
	}
	return nil
}
