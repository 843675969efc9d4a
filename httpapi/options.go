package httpapi

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/resourcery/resourcery/plan"
)

// validate refuses options that mean nothing, all but Endpoint, and says what
// to write instead.
func (o RESTOptions) validate() error {
	errs := []error{validateDivider(o.IDDivider)}
	errs = append(errs, o.validatePages()...)
	errs = append(errs, o.Limits.validate()...)
	for _, name := range o.AllowParameters {
		errs = append(errs, validateParameter(name))
	}
	errs = append(errs, o.validateLanguage())
	return errors.Join(errs...)
}

// validateLanguage refuses what opens no further part of the query language.
func (o RESTOptions) validateLanguage() error {
	var errs []error
	if o.SearchLanguage != "" && !configuration.MatchString(o.SearchLanguage) {
		errs = append(errs, fmt.Errorf("httpapi: RESTOptions.SearchLanguage %q is no name of a text search configuration: write one such as %q or %q", o.SearchLanguage, "english", "public.simple"))
	}
	if _, err := o.Totals.total(); err != nil {
		errs = append(errs, err)
	}
	if o.Totals == TotalsEstimate && !o.AllowEstimates {
		errs = append(errs, errors.New("httpapi: RESTOptions.Totals is TotalsEstimate and AllowEstimates is not set: set it, or write another total"))
	}
	if o.Timeout < 0 {
		errs = append(errs, fmt.Errorf("httpapi: RESTOptions.Timeout is %s: write a positive duration, or 0 for none", o.Timeout))
	}
	if o.StreamTimeout < 0 {
		errs = append(errs, fmt.Errorf("httpapi: RESTOptions.StreamTimeout is %s: write a positive duration, or 0 for %s", o.StreamTimeout, defaultStreamTimeout))
	}
	return errors.Join(errs...)
}

// configuration matches names of text search configurations, with their schema
// or without.
var configuration = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*\.)?[A-Za-z_][A-Za-z0-9_]*$`)

func (o RESTOptions) validatePages() []error {
	var errs []error
	refuse := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("httpapi: RESTOptions."+format, args...))
	}
	if o.PageSize < 0 && o.PageSize != Unlimited {
		refuse("PageSize is %d: write a positive number, 0 for %d, or httpapi.Unlimited", o.PageSize, plan.DefaultPageSize)
	}
	size := o.PageSize
	if size == 0 {
		size = plan.DefaultPageSize
	}
	switch {
	case o.MaxPageSize < 0:
		refuse("MaxPageSize is %d: write a positive number, or 0 for %d", o.MaxPageSize, plan.DefaultMaxPageSize)
	case o.MaxPageSize > 0 && o.PageSize == Unlimited:
		refuse("MaxPageSize is %d, and PageSize is Unlimited, which has no cap: leave MaxPageSize out", o.MaxPageSize)
	case o.MaxPageSize > 0 && o.MaxPageSize < size:
		refuse("MaxPageSize is %d, less than PageSize, which is %d: write a number that is at least as large", o.MaxPageSize, size)
	}
	return errs
}

func (l Limits) validate() []error {
	var errs []error
	for _, limit := range []struct {
		name  string
		value int
	}{
		{"MaxURLBytes", l.MaxURLBytes},
		{"MaxConditions", l.MaxConditions},
		{"MaxFilterDepth", l.MaxFilterDepth},
		{"MaxValues", l.MaxValues},
		{"MaxSortKeys", l.MaxSortKeys},
		{"MaxIncludeDepth", l.MaxIncludeDepth},
		{"MaxIncludes", l.MaxIncludes},
		{"MaxIncluded", l.MaxIncluded},
		{"MaxBodyBytes", l.MaxBodyBytes},
		{"MaxOperations", l.MaxOperations},
	} {
		if limit.value < 0 {
			errs = append(errs, fmt.Errorf("httpapi: RESTOptions.Limits.%s is %d: write a positive number, or 0 for the default", limit.name, limit.value))
		}
	}
	return errs
}

// validateDivider refuses what could not be told apart from an id's parts:
// `%` and the digits of percent-encodings, and what paths have to encode.
// Letters and digits are refused alike, as one rule is easier to remember.
func validateDivider(divider string) error {
	for _, c := range divider {
		if isAlphanumeric(c) || url.PathEscape(string(c)) != string(c) {
			return fmt.Errorf("httpapi: RESTOptions.IDDivider %q has the character %q: write one of _ - . ~ : @ + = & $, such as %q", divider, c, plan.DefaultDivider)
		}
	}
	return nil
}

func isAlphanumeric(c rune) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// validateParameter refuses names of the families that are the service's own.
func validateParameter(name string) error {
	if name == "" {
		return errors.New("httpapi: RESTOptions.AllowParameters has an empty name: leave it out")
	}
	family, _, _ := strings.Cut(name, "[")
	switch family {
	case "filter", "sort", "page", "include", "fields":
		return fmt.Errorf("httpapi: RESTOptions.AllowParameters has %q, which the service reads itself: leave it out", name)
	}
	return nil
}
