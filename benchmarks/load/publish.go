package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// publish prints the report and writes it, and the record beside it.
func (p *program) publish(r *record) error {
	report := r.report()
	if _, err := fmt.Fprint(p.stdout, report); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	if p.out == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	base := strings.TrimSuffix(p.out, ".md")
	if err := os.MkdirAll(filepath.Dir(base), 0o755); err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	for ending, content := range map[string][]byte{".md": []byte(report), ".json": append(text, '\n')} {
		if err := os.WriteFile(base+ending, content, 0o644); err != nil {
			return fmt.Errorf("write the results: %w", err)
		}
	}
	p.progress("written: %s.md, %s.json", base, base)
	return nil
}
