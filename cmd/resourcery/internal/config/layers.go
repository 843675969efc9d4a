package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// Prefix is that of the environment variables.
const Prefix = "RESOURCERY_"

// Variable returns the environment variable of a flag: page-size is
// RESOURCERY_PAGE_SIZE.
func Variable(flag string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Apply sets every flag that the command line has left out: from the
// environment, where its variable is not empty, else from the file. lookup is
// os.LookupEnv's. The error holds all values that do not fit their flags.
func Apply(flags *pflag.FlagSet, lookup func(string) (string, bool), f *File) error {
	var problems []error
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Changed {
			return
		}
		if text, ok := lookup(Variable(flag.Name)); ok && text != "" {
			problems = append(problems, set(flags, flag, []string{text}, Variable(flag.Name)))
			return
		}
		if v, ok := f.values[flag.Name]; ok {
			problems = append(problems, set(flags, flag, v.items, v.at))
		}
	})
	return errors.Join(problems...)
}

// set gives the flag its value: a list as a whole, pairs one by one.
func set(flags *pflag.FlagSet, flag *pflag.Flag, items []string, from string) error {
	_, pairs := flag.Value.(Pairs)
	list, isList := flag.Value.(pflag.SliceValue)
	switch {
	case isList && len(items) != 1:
		if err := list.Replace(items); err != nil {
			return fmt.Errorf("%s: %s: %w", from, flag.Name, err)
		}
		flag.Changed = true
		return nil
	case !pairs && len(items) != 1:
		return fmt.Errorf("%s: %s takes a single value", from, flag.Name)
	}
	for _, item := range items {
		err := flags.Set(flag.Name, item)
		if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
			err = invalid.Unwrap() // the rest names a command line that was not used
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", from, flag.Name, err)
		}
	}
	return nil
}
