package parse

// Path parses the path of a request below the endpoint, still escaped, as in
// url.URL.EscapedPath: `/post/1/relationships/author`. A path of no known shape
// is a jsonapi.InvalidPath.
func Path(escaped string) (Target, error) { panic("unbuilt") }

// Query parses the query of a request to the target. Unknown, malformed and
// repeated parameters are refused, all in one answer (jsonapi.Errors).
func Query(t Target, raw string, o Options) (*Request, error) { panic("unbuilt") }
