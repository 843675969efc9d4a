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
}

// codeTable is the one place where a code gets its spelling, status and title.
var codeTable = [codes]codeRow{
	UnknownError:            {"unknown-error", 500, "Unknown error"},
	UnsupportedModel:        {"unsupported-model", 404, "Unsupported model type"},
	UnsupportedRelationship: {"unsupported-relationship", 404, "Unsupported relationship"},
	InvalidPath:             {"invalid-path", 404, "The request path is invalid"},
	NotFound:                {"not-found", 404, "Resource not found"},
	RelatedNotFound:         {"related-not-found", 404, "Related resource not found"},
	Unauthorized:            {"unauthorized", 401, "Authentication is required"},
	Forbidden:               {"forbidden", 403, "Operation is forbidden"},
	MethodNotAllowed:        {"method-not-allowed", 405, "Method not allowed"},
	NotAcceptable:           {"not-acceptable", 406, "Not acceptable"},
	TypeMismatch:            {"type-mismatch", 409, "Resource type does not match"},
	IDMismatch:              {"id-mismatch", 409, "Resource id does not match"},
	Conflict:                {"conflict", 409, "Operation conflicts with existing data"},
	PreconditionFailed:      {"precondition-failed", 412, "Precondition failed"},
	PayloadTooLarge:         {"payload-too-large", 413, "Payload too large"},
	URITooLong:              {"uri-too-long", 414, "URI too long"},
	UnsupportedMediaType:    {"unsupported-media-type", 415, "Unsupported media type"},
	TooManyRequests:         {"too-many-requests", 429, "Too many requests"},
	InvalidParameter:        {"invalid-parameter", 400, "Invalid query parameter"},
	InvalidFilter:           {"invalid-filter", 400, "Invalid filter"},
	InvalidSort:             {"invalid-sort", 400, "Invalid sort"},
	InvalidPage:             {"invalid-page", 400, "Invalid page"},
	InvalidInclude:          {"invalid-include", 400, "Invalid include"},
	InvalidFields:           {"invalid-fields", 400, "Invalid fields"},
	InvalidID:               {"invalid-id", 400, "Resource ID is invalid"},
	InvalidValue:            {"invalid-value", 400, "Invalid value for type"},
	InvalidPayload:          {"invalid-payload", 400, "Invalid payload"},
	RequiredRelationship:    {"required-relationship", 400, "Relationship is required"},
	ValidationError:         {"validation-error", 400, "Input validation failed"},
	TooManyIncluded:         {"too-many-included", 400, "Too many included resources"},
	QueryError:              {"query-error", 400, "Error occurred while executing the query"},
	QueryTimeout:            {"query-timeout", 503, "Query timed out"},
	DatabaseUnavailable:     {"database-unavailable", 503, "Database is unavailable"},
	OutcomeUnknown:          {"outcome-unknown", 503, "Outcome is unknown"},
}

// String returns the code as the `code` member spells it.
func (c Code) String() string { return codeTable[c].name }

// Status returns the HTTP status that the code stands for.
func (c Code) Status() int { return codeTable[c].status }

// Title returns the short human-readable summary of the code.
func (c Code) Title() string { return codeTable[c].title }
