package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/resourcery/resourcery/cmd/resourcery/internal/config"
	"github.com/resourcery/resourcery/schema"
	"github.com/resourcery/resourcery/schema/validation"
)

func (p *program) introspectCommand() *cobra.Command {
	var from source
	var out, validate string
	cmd := &cobra.Command{
		Use:   "introspect --dsn URL",
		Short: "Write the schema of a database as a file",
		Long: "Write the schema of a database, with the overlay of the configuration file, in the\n" +
			"form that a Go program loads it from, and with --validation JSON Schemas of what\n" +
			"requests may write. The same database gives the same bytes.",
		Args: noArguments,
	}
	f := cmd.Flags()
	from.flags(f)
	f.StringVar(&out, "out", "", "the `file` to write (default standard output)")
	f.StringVar(&validate, "validation", "", "the `file` to write JSON Schemas to, one for each model and operation (default none)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		file, err := p.settle(f)
		if err != nil {
			return err
		}
		s, err := introspected(cmd.Context(), from, file)
		if err != nil {
			return err
		}
		for _, note := range s.Notes() {
			fmt.Fprintln(p.stderr, "note:", note)
		}
		if validate != "" {
			if err := writeFile(validate, validation.Generate(s)); err != nil {
				return err
			}
		}
		if out == "" {
			_, err := s.Catalog().WriteTo(p.stdout)
			return err
		}
		return writeFile(out, s.Catalog())
	}
	return cmd
}

func introspected(ctx context.Context, from source, file *config.File) (*schema.Schema, error) {
	pool, err := openPool(ctx, from, 1)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	catalog, err := readCatalog(ctx, pool, from, file)
	if err != nil {
		return nil, err
	}
	return schema.FromCatalog(catalog)
}

// writeFile writes beside the file and renames, so that a program that loads it
// meanwhile finds the old file or the new one.
func writeFile(path string, content io.WriterTo) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name()) // the error that led here says more
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if _, err := content.WriteTo(file); err != nil {
		_ = file.Close()
		return err
	}
	// Temporary files are private; this one holds nothing secret.
	if err := file.Chmod(0o644); err != nil {
		_ = file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
