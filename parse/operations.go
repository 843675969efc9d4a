package parse

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/resourcery/resourcery/jsonapi"
)

// OperationOptions say what operations may be.
type OperationOptions struct {
	// Endpoint is the URL, or the path alone, that `href` members are below.
	Endpoint string
	// Max is how many operations one request may have; 0: 100.
	Max int
}

const (
	operationsMember     = "atomic:operations"
	defaultMaxOperations = 100
)

// Operations parses the document of a request with the atomic operations
// extension, https://jsonapi.org/ext/atomic/, into a request for each operation,
// in order. Refusals are those of Document, their pointers beginning with the
// operation's.
//
// A local id is known from the operation after the one that creates its
// resource. An operation that updates and names no target takes it from its
// data. One that removes a resource has no data: it would mostly be the linkage
// of a relationship that was forgotten to be named.
func Operations(body []byte, o OperationOptions) ([]*Request, error) {
	if err := checkSyntax(body); err != nil {
		return nil, err
	}
	endpoint, err := url.Parse(strings.TrimSuffix(o.Endpoint, "/"))
	if err != nil {
		return nil, fmt.Errorf("parse: read the URL of the endpoint: %w", err)
	}
	if o.Max == 0 {
		o.Max = defaultMaxOperations
	}
	var refused refusals
	b := batchReader{
		bodyReader: bodyReader{cursor: newCursor(body, &refused), locals: localIDs{}},
		endpoint:   endpoint,
		max:        o.Max,
	}
	if kind := b.kind(); kind != jsontext.KindBeginObject {
		return nil, invalidBody("", "The body is %s; it has to be an object with the member %s.", kindName(kind), operationsMember)
	}
	b.document()
	if err := refused.errors.Err(); err != nil {
		return nil, err
	}
	return b.requests, nil
}

// A batchReader reads the operations of one document.
type batchReader struct {
	bodyReader // of the whole document
	endpoint   *url.URL
	max        int
	requests   []*Request // by the index of the operation; nil: it is refused
}

func (b *batchReader) document() {
	var meta metaObject
	found := false
	for name := range b.members() {
		switch name {
		case operationsMember:
			b.operations("/" + operationsMember)
			found = true
		case "data", "included", "errors", "atomic:results":
			b.refused.add("/"+name, "A document with %s has no member %s.", operationsMember, name)
		case "meta":
			meta = b.meta("/meta")
		}
	}
	if !found {
		b.refused.add("", "The document has no member %s, an array of operations.", operationsMember)
	}
	if meta.operation != nil {
		b.refused.add("/meta/operation", "Write the operation into the meta of the operation object that it is about.")
	}
	b.annotate(meta.notes)
}

func (b *batchReader) operations(at string) {
	if kind := b.kind(); kind != jsontext.KindBeginArray {
		b.refused.add(at, "The member %s is %s; it has to be an array of operations.", operationsMember, kindName(kind))
		return
	}
	count := 0
	for i := range b.elements() {
		if count++; count <= b.max {
			b.requests = append(b.requests, b.operation(at+"/"+strconv.Itoa(i)))
		}
	}
	switch {
	case count == 0:
		b.refused.add(at, "The member %s is empty; write one operation at least.", operationsMember)
	case count > b.max:
		b.refused.add(at, "There are %d operations; one request takes %d at most.", count, b.max)
	}
}

// An operation is an operation object as it stands there. What its data and its
// meta have to be shows only when all of it is read.
type operation struct {
	at     string
	code   string
	ref    bool
	href   bool
	target Target         // the zero Target: none is named
	data   jsontext.Value // nil: none
	meta   jsontext.Value // nil: none
}

// operation reads an operation object; it returns nil where it refuses it.
func (b *batchReader) operation(at string) *Request {
	before := b.refused.count
	op := b.operationObject(at)
	if b.refused.count > before {
		return nil
	}
	verb, fault := op.verb()
	if fault != nil {
		b.refused.append(fault)
		return nil
	}
	request := &Request{Verb: verb, Target: op.target, Pointer: at, Body: b.body(op, verb)}
	if verb == Create && request.Body != nil {
		b.give(request.Body.Resource)
	}
	meta := b.metaOf(op)
	upsert := meta.upsert(verb, b.refused)
	if b.refused.count > before {
		return nil
	}
	if request.Body != nil {
		request.Body.Upsert = upsert
		annotate(request.Body.Resource, meta.notes)
	}
	b.aim(request)
	return request
}

// operationObject reads the members of an operation object.
func (b *batchReader) operationObject(at string) operation {
	op, before := operation{at: at}, b.refused.count
	coded := false
	for name := range b.object(at, "The operation") {
		here := at + "/" + name
		switch name {
		case "op":
			op.code, _ = b.string(here, "The member op")
			coded = true
		case "ref":
			op.target, op.ref = b.ref(here), true
		case "href":
			op.target, op.href = b.hrefTarget(here), true
		case "data":
			op.data = b.value()
		case "meta":
			op.meta = b.value()
		}
	}
	switch {
	case b.refused.count > before:
	case !coded:
		b.refused.add(at, "The operation has no member op; it is add, update or remove.")
	case op.ref && op.href:
		b.refused.add(at, "The operation has a ref and a href; leave one of the two.")
	}
	return op
}

// verb returns what the operation does, or what is wrong with its code on its
// target.
func (o operation) verb() (Verb, *jsonapi.Error) {
	switch o.code {
	case "add":
		return o.add()
	case "update":
		return o.update()
	case "remove":
		return o.remove()
	default:
		return 0, invalidBody(o.at+"/op", "There is no operation %q; op is add, update or remove.", o.code)
	}
}

func (o operation) add() (Verb, *jsonapi.Error) {
	switch o.target.Shape {
	case Relationship:
		return Add, nil
	case Resource:
		return 0, invalidBody(o.at, "An operation add names no resource as its target: it creates the one in data, or names a relationship to add members to.")
	default:
		return Create, nil
	}
}

func (o operation) update() (Verb, *jsonapi.Error) {
	switch o.target.Shape {
	case Relationship:
		return Replace, nil
	case Collection:
		return 0, invalidBody(o.at, "An operation update does not take a collection as its target; name a resource or a relationship.")
	default:
		return Update, nil
	}
}

func (o operation) remove() (Verb, *jsonapi.Error) {
	switch {
	case o.target.Shape == Relationship:
		return Remove, nil
	case o.target.Shape != Resource:
		return 0, invalidBody(o.at, "An operation remove needs a ref or a href that names a resource or a relationship.")
	case o.data != nil:
		return 0, invalidBody(o.at+"/data", "An operation that removes a resource has no data; to remove members, name the relationship in ref.")
	default:
		return Delete, nil
	}
}

// body reads the data of the operation; nil where it has none, or needs some.
func (b *batchReader) body(op operation, verb Verb) *Body {
	if verb == Delete {
		return nil
	}
	if op.data == nil {
		b.refused.add(op.at, "The operation has no member data; %s.", expected(verb))
		return nil
	}
	r := bodyReader{cursor: newCursor(op.data, b.refused), locals: b.locals}
	return r.data(verb, op.at+"/data")
}

func (b *batchReader) metaOf(op operation) metaObject {
	if op.meta == nil {
		return metaObject{}
	}
	r := bodyReader{cursor: newCursor(op.meta, b.refused)}
	return r.meta(op.at + "/meta")
}

// give makes the local id of a resource that is created known; nil is none.
func (b *batchReader) give(o *ResourceObject) {
	if o == nil || o.LID == "" || o.Type == "" {
		return
	}
	id := local(o.Type, o.LID)
	if b.locals[id] {
		b.refused.add(o.Pointer+"/lid", "An operation before this one creates a resource of type %q with the local id %q; give each its own.", o.Type, o.LID)
	}
	b.locals[id] = true
}

// aim names the target that an operation takes from its data.
func (b *batchReader) aim(r *Request) {
	switch {
	case r.Verb == Update && r.Target.Shape != 0:
		b.agree(r)
	case r.Target.Shape != 0:
	case r.Verb == Create:
		r.Target = Target{Shape: Collection, Type: r.Body.Resource.Type}
	default:
		o := r.Body.Resource
		r.Target = Target{Shape: Resource, Type: o.Type, LID: o.LID}
		if o.ID != nil {
			r.Target.ID = *o.ID
		} else if o.LID == "" {
			b.refused.add(o.Pointer, "The operation names no resource; write a ref, or id or lid into data.")
		}
	}
}

// agree refuses data that names its resource in another way than the target
// does, as the two could not be compared; ids are for the plan to compare.
func (b *batchReader) agree(r *Request) {
	o := r.Body.Resource
	switch {
	case r.Target.LID != "" && o.ID != nil:
		b.refused.add(o.Pointer+"/id", "The target has the local id %q; leave the id, or write that as lid.", r.Target.LID)
	case r.Target.LID != o.LID && r.Target.LID == "":
		b.refused.add(o.Pointer+"/lid", "The target is named by its id; leave the local id.")
	case r.Target.LID != o.LID && o.LID != "":
		b.refused.append(jsonapi.Errorf(jsonapi.IDMismatch, jsonapi.Pointer(o.Pointer+"/lid"),
			"The local id is %q; that of the target is %q.", o.LID, r.Target.LID))
	}
}

// annotate gives the operations the notes of the whole document, whose paths
// begin with `atomic:operations.0`.
func (b *batchReader) annotate(notes []placedNote) {
	if len(notes) == 0 {
		return
	}
	byIndex := make(map[string][]placedNote)
	for _, n := range notes {
		if len(n.path) > 2 && n.path[0] == operationsMember {
			byIndex[n.path[1]] = append(byIndex[n.path[1]], placedNote{path: n.path[2:], name: n.name})
		}
	}
	for i, request := range b.requests {
		if request != nil && request.Body != nil {
			annotate(request.Body.Resource, byIndex[strconv.Itoa(i)])
		}
	}
}
