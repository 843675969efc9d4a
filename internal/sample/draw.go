package sample

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

func pick[T any](s *site, from []T) T {
	return from[s.IntN(len(from))]
}

func (s *site) often(probability float64) bool {
	return s.Float64() < probability
}

// maybe is the value, or NULL.
func (s *site) maybe(probability float64, value any) any {
	if s.often(probability) {
		return value
	}
	return nil
}

// skewed is below n, and mostly far below: most posts have few readers.
func (s *site) skewed(n int) int {
	return int(float64(n) * s.Float64() * s.Float64() * s.Float64())
}

// upTo is in whole milliseconds, so that the text has no more digits than it
// needs.
func (s *site) upTo(d time.Duration) time.Duration {
	return time.Duration(s.Int64N(int64(d/time.Millisecond))) * time.Millisecond
}

func (s *site) bytes(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(s.IntN(256))
	}
	return out
}

func (s *site) uuid() string {
	b := s.bytes(16)
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// author is somebody who had joined by then. The lower the number, the more
// they write; the last five only read.
func (s *site) author(at time.Time) int {
	writing := len(s.joined) - 5
	for {
		if i := s.IntN(1 + s.IntN(writing)); s.joined[i].Before(at) {
			return i + 1
		}
	}
}

// body is two to four paragraphs, no sentence twice.
func (s *site) body(field topic, subject string) string {
	order := s.Perm(len(field.sentences))
	paragraphs := make([]string, 2+s.IntN(3))
	for i := range paragraphs {
		var lines []string
		if i == 0 {
			lines = append(lines, about(pick(s, openings), subject))
		}
		for _, j := range order[i*3 : i*3+2+s.IntN(2)] {
			lines = append(lines, field.sentences[j])
		}
		paragraphs[i] = strings.Join(lines, " ")
	}
	paragraphs = append(paragraphs, about(pick(s, closings), subject))
	return strings.Join(paragraphs, "\n\n")
}

func about(template, subject string) string {
	first, size := utf8.DecodeRuneInString(subject)
	capital := string(unicode.ToUpper(first)) + subject[size:]
	return strings.NewReplacer("%s", subject, "%S", capital).Replace(template)
}

func slug(title string) string {
	plain := strings.ReplaceAll(strings.ToLower(title), "'", "")
	words := strings.FieldsFunc(plain, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-")
}
