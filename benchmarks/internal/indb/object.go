package indb

import (
	"strings"

	"github.com/resourcery/resourcery/benchmarks/internal/blog"
)

// object is json_build_object of names and expressions in turn.
func object(members ...string) string {
	for i := 0; i < len(members); i += 2 {
		members[i] = "'" + members[i] + "'"
	}
	return "json_build_object(" + strings.Join(members, ", ") + ")"
}

func text(s string) string { return "'" + s + "'" }

// at is the address of a resource.
func at(typ, row string) string {
	return text(blog.Endpoint+"/"+typ+"/") + " || " + row + ".id"
}

// links are those of a relationship.
func links(typ, row, name string) string {
	return object("self", at(typ, row)+" || "+text("/relationships/"+name), "related", at(typ, row)+" || "+text("/"+name))
}

func related(typ, row, name string) string { return object("links", links(typ, row, name)) }

func linkage(typ, row, name, data string) string {
	return object("data", data, "links", links(typ, row, name))
}

func identifier(typ, id string) string { return object("type", text(typ), "id", id) }

func instant(column string) string {
	return `to_char(` + column + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

// A resource is the object of a row.
func resource(typ, row, attributes, relationships string) string {
	return object("type", text(typ), "id", row+".id", "attributes", attributes, "relationships", relationships,
		"links", object("self", at(typ, row)))
}

// post is the object of a post, with what stands for its to-many relationships.
func post(row, comments, tags string) string {
	return resource("post", row,
		object("authorId", row+`."authorId"`, "title", row+".title", "content", row+".content", "published", row+".published",
			"viewCount", row+`."viewCount"`, "createdAt", instant(row+`."createdAt"`), "updatedAt", instant(row+`."updatedAt"`)),
		object("author", linkage("post", row, "author", identifier("user", row+`."authorId"`)), "comments", comments, "tags", tags))
}

func user(row string) string {
	return resource("user", row,
		object("name", row+".name", "email", row+".email", "createdAt", instant(row+`."createdAt"`)),
		object("comments", related("user", row, "comments"), "posts", related("user", row, "posts")))
}

func comment(row string) string {
	return resource("comment", row,
		object("postId", row+`."postId"`, "authorId", row+`."authorId"`, "content", row+".content", "hidden", row+".hidden",
			"createdAt", instant(row+`."createdAt"`)),
		object("author", linkage("comment", row, "author", identifier("user", row+`."authorId"`)),
			"post", linkage("comment", row, "post", identifier("post", row+`."postId"`))))
}

func tag(row string) string {
	return resource("tag", row, object("name", row+".name"), object("posts", related("tag", row, "posts")))
}
