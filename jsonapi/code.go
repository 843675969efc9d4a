package jsonapi

// A Code names one kind of failure. It fixes the HTTP status and the title of
// the error object; see the table below. The zero Code is UnknownError, so
// that a forgotten code never looks like the client's mistake.
type Code uint8

// The codes of the contract, section 8.
const (
	// UnknownError is a fault of the server's own; its cause is in the log.
	UnknownError Code = iota
	// UnsupportedModel: the path names no resource type.
	UnsupportedModel
	// UnsupportedRelationship: the path names no relationship of the type.
	UnsupportedRelationship
	// InvalidPath: the path has no known shape.
	InvalidPath
	// NotFound: the resource does not exist or the caller may not see it.
	NotFound
	// RelatedNotFound: a linkage target does not exist or is invisible.
	RelatedNotFound
	// Unauthorized: the host wants the caller to authenticate first.
	Unauthorized
	// Forbidden: a policy or a missing privilege refuses the operation.
	Forbidden
	// MethodNotAllowed: the path does not have the method.
	MethodNotAllowed
	// NotAcceptable: Accept admits no representation that exists.
	NotAcceptable
	// TypeMismatch: a resource object is not of the endpoint's type.
	TypeMismatch
	// IDMismatch: a resource object's id is not the path's.
	IDMismatch
	// Conflict: a unique or exclusion constraint, or a referencing row.
	Conflict
	// PreconditionFailed: If-Match named another state of the resource.
	PreconditionFailed
	// PayloadTooLarge: the body is over the limit.
	PayloadTooLarge
	// URITooLong: the URL is over the limit.
	URITooLong
	// UnsupportedMediaType: the body's media type is not understood.
	UnsupportedMediaType
	// TooManyRequests: the caller is over its rate.
	TooManyRequests
	// InvalidParameter: an unknown or misplaced query parameter.
	InvalidParameter
	// InvalidFilter: a filter names no field, or an operator it has not.
	InvalidFilter
	// InvalidSort: a sort key names nothing that can be sorted by.
	InvalidSort
	// InvalidPage: a page parameter is unknown, malformed or misplaced.
	InvalidPage
	// InvalidInclude: an include path names no relationship, or there are too many.
	InvalidInclude
	// InvalidFields: a sparse fieldset names no type or no field.
	InvalidFields
	// InvalidID: an id in the path cannot be one of the type's.
	InvalidID
	// InvalidValue: a value does not fit the kind of its field.
	InvalidValue
	// InvalidPayload: the body is malformed.
	InvalidPayload
	// WrongPayload: the body is well-formed, and what it says cannot be done: an
	// attribute is unknown or read-only, of another kind, or missing. Clients see
	// the same code as that of InvalidPayload; strict answers have another status.
	WrongPayload
	// RequiredRelationship: a relationship that must have a target was cleared.
	RequiredRelationship
	// ValidationError: a check constraint or a validation schema refused the input.
	ValidationError
	// TooManyIncluded: the compound document would hold too many resources.
	TooManyIncluded
	// QueryError: the database refused to evaluate the query.
	QueryError
	// QueryTimeout: the database gave up on the query in time.
	QueryTimeout
	// DatabaseUnavailable: no connection, or one lost before anything was committed.
	DatabaseUnavailable
	// OutcomeUnknown: the connection was lost after a write was sent to commit.
	OutcomeUnknown

	codes // the number of codes
)

type codeRow struct {
	name   string
	status int
	title  string
	strict int // the status of strict answers; 0: the same
}

// codeTable is the one place where a code gets its spelling, status and title.
var codeTable = [codes]codeRow{
	UnknownError:            {name: "unknown-error", status: 500, title: "Unknown error"},
	UnsupportedModel:        {name: "unsupported-model", status: 404, title: "Unsupported model type"},
	UnsupportedRelationship: {name: "unsupported-relationship", status: 404, title: "Unsupported relationship"},
	InvalidPath:             {name: "invalid-path", status: 404, title: "The request path is invalid"},
	NotFound:                {name: "not-found", status: 404, title: "Resource not found"},
	RelatedNotFound:         {name: "related-not-found", status: 404, title: "Related resource not found"},
	Unauthorized:            {name: "unauthorized", status: 401, title: "Authentication is required"},
	Forbidden:               {name: "forbidden", status: 403, title: "Operation is forbidden"},
	MethodNotAllowed:        {name: "method-not-allowed", status: 405, title: "Method not allowed"},
	NotAcceptable:           {name: "not-acceptable", status: 406, title: "Not acceptable"},
	TypeMismatch:            {name: "type-mismatch", status: 409, title: "Resource type does not match"},
	IDMismatch:              {name: "id-mismatch", status: 409, title: "Resource id does not match"},
	Conflict:                {name: "conflict", status: 409, title: "Operation conflicts with existing data"},
	PreconditionFailed:      {name: "precondition-failed", status: 412, title: "Precondition failed"},
	PayloadTooLarge:         {name: "payload-too-large", status: 413, title: "Payload too large"},
	URITooLong:              {name: "uri-too-long", status: 414, title: "URI too long"},
	UnsupportedMediaType:    {name: "unsupported-media-type", status: 415, title: "Unsupported media type"},
	TooManyRequests:         {name: "too-many-requests", status: 429, title: "Too many requests"},
	InvalidParameter:        {name: "invalid-parameter", status: 400, title: "Invalid query parameter"},
	InvalidFilter:           {name: "invalid-filter", status: 400, title: "Invalid filter"},
	InvalidSort:             {name: "invalid-sort", status: 400, title: "Invalid sort"},
	InvalidPage:             {name: "invalid-page", status: 400, title: "Invalid page"},
	InvalidInclude:          {name: "invalid-include", status: 400, title: "Invalid include"},
	InvalidFields:           {name: "invalid-fields", status: 400, title: "Invalid fields"},
	InvalidID:               {name: "invalid-id", status: 400, title: "Resource ID is invalid"},
	InvalidValue:            {name: "invalid-value", status: 400, title: "Invalid value for type"},
	InvalidPayload:          {name: "invalid-payload", status: 400, title: "Invalid payload"},
	WrongPayload:            {name: "invalid-payload", status: 400, title: "Invalid payload", strict: 422},
	RequiredRelationship:    {name: "required-relationship", status: 400, title: "Relationship is required", strict: 422},
	ValidationError:         {name: "validation-error", status: 400, title: "Input validation failed", strict: 422},
	TooManyIncluded:         {name: "too-many-included", status: 400, title: "Too many included resources"},
	QueryError:              {name: "query-error", status: 400, title: "Error occurred while executing the query"},
	QueryTimeout:            {name: "query-timeout", status: 503, title: "Query timed out"},
	DatabaseUnavailable:     {name: "database-unavailable", status: 503, title: "Database is unavailable"},
	OutcomeUnknown:          {name: "outcome-unknown", status: 503, title: "Outcome is unknown"},
}

// String returns the code as the `code` member spells it.
func (c Code) String() string { return codeTable[c].name }

// Status returns the HTTP status that the code stands for.
func (c Code) Status() int { return codeTable[c].status }

// StrictStatus returns the HTTP status of the code in answers to the letter of
// JSON:API: 422 for what is well-formed but wrong (contract 8, 10.6).
func (c Code) StrictStatus() int {
	if strict := codeTable[c].strict; strict != 0 {
		return strict
	}
	return codeTable[c].status
}

// Title returns the short human-readable summary of the code.
func (c Code) Title() string { return codeTable[c].title }
