package schema_test

import (
	"strings"
	"testing"

	"github.com/resourcery/resourcery/internal/golden"
	"github.com/resourcery/resourcery/schema"
)

// privileges grants everything but what is named: "Post", or "Post.authorId".
func privileges(s *schema.Schema, except ...string) schema.Privileges {
	p := schema.Privileges{}
	for _, t := range s.Catalog().Relations {
		granted := schema.TablePrivileges{Select: map[string]bool{}, Insert: map[string]bool{}, Update: map[string]bool{}, Delete: true}
		for _, c := range t.Columns {
			granted.Select[c.Name], granted.Insert[c.Name], granted.Update[c.Name] = true, true, true
		}
		p[t.Table] = granted
	}
	for _, e := range except {
		name, column, ok := strings.Cut(e, ".")
		table := schema.Table{Schema: "public", Name: name}
		if ok {
			delete(p[table].Select, column)
		} else {
			delete(p, table)
		}
	}
	return p
}

// shows reports whether the view has an attribute or relationship, and proves
// that lists and lookups agree.
func shows(t *testing.T, v *schema.View, name string) bool {
	t.Helper()
	typ, member, _ := strings.Cut(name, ".")
	m, ok := v.Model(typ)
	if !ok {
		t.Fatalf("no model %s", typ)
	}
	_, attribute := m.Attribute(member)
	_, relationship := m.Relationship(member)
	var listed bool
	for _, f := range m.Attributes {
		listed = listed || f.Name == member
	}
	for _, r := range m.Relationships {
		listed = listed || r.Name == member
	}
	if listed != (attribute || relationship) {
		t.Errorf("%s: listed %t, found %t", name, listed, attribute || relationship)
	}
	return listed
}

func TestNewView(t *testing.T) {
	s := golden.Schema(t)
	for _, c := range []struct{ without, hidden, shown string }{
		// A column, and what hangs on it, from both sides.
		{"Post.title", "post.title", "post.author post.comments post.content"},
		{"Post.authorId", "post.authorId post.author user.posts", "user.comments post.comments user.postsViaLike"},
		{"Country.code", "country.code city.country country.cities", "country.name"},
		// The join table's columns.
		{"_PostToTag.B", "post.tags tag.posts", "post.likes"},
		{"_PostToTag", "post.tags tag.posts", "tag.name"},
		{"Like", "post.users user.postsViaLike post.likes user.likes like.createdAt like.user", "user.posts"},
		// Without the key there is nothing of the model.
		{"Tag.id", "tag.name tag.posts post.tags", "post.title"},
		{"Like.postId", "like.createdAt like.postId post.likes user.likes post.users", "user.posts"},
		{"User", "user.email user.posts post.author profile.user comment.author", "post.authorId comment.post"},
	} {
		v := schema.NewView(s, "reader", privileges(s, c.without))
		for name := range strings.FieldsSeq(c.hidden) {
			if shows(t, v, name) {
				t.Errorf("without %s, %s is shown", c.without, name)
			}
			if !shows(t, s.FullView(), name) {
				t.Errorf("%s is not in the full view", name)
			}
		}
		for name := range strings.FieldsSeq(c.shown) {
			if !shows(t, v, name) {
				t.Errorf("without %s, %s is hidden", c.without, name)
			}
		}
	}
}

func TestViewOperations(t *testing.T) {
	s := golden.Schema(t)
	p := privileges(s, "Tag")
	post := p[schema.Table{Schema: "public", Name: "Post"}]
	delete(post.Update, "title")
	post.Delete = false
	post.Insert = nil
	p[schema.Table{Schema: "public", Name: "Post"}] = post
	v := schema.NewView(s, "writer", p)
	if v.Role() != "writer" || v.Schema() != s {
		t.Errorf("a view of %q", v.Role())
	}

	m, _ := v.Model("POST")
	if !m.Readable || m.Insert || !m.Update || m.Delete {
		t.Errorf("post: %+v", m)
	}
	title, _ := m.Attribute("title")
	content, _ := m.Attribute("content")
	generated, _ := m.Attribute("titleVector")
	if m.Updatable(title) || !m.Updatable(content) || m.Insertable(content) || m.Updatable(generated) {
		t.Error("content alone should be updatable")
	}
	tag, _ := v.Model("tag")
	if tag.Readable || tag.Insert || tag.Update || tag.Delete || tag.Attributes != nil {
		t.Errorf("tag: %+v", tag)
	}
	full := s.FullView().Of(m.Model)
	if !full.Readable || !full.Insert || !full.Delete || !full.Insertable(title) || full.Insertable(generated) {
		t.Errorf("post in full: %+v", full)
	}
}

// A row is what the role may read of it: keys that are attributes too come once.
func TestViewRow(t *testing.T) {
	s := golden.Schema(t)
	for _, c := range []struct{ typ, without, want string }{
		{"comment", "", "id body spam createdAt postId authorId parentId"},
		{"comment", "Comment.spam", "id body createdAt postId authorId parentId"},
		{"like", "", "userId postId createdAt"},
		{"like", "Like.createdAt", "userId postId"},
	} {
		m, _ := schema.NewView(s, "reader", privileges(s, c.without)).Model(c.typ)
		if c.without == "" {
			m, _ = s.FullView().Model(c.typ)
		}
		var columns []string
		for _, f := range m.Row {
			columns = append(columns, f.Column)
		}
		if got := strings.Join(columns, " "); got != c.want {
			t.Errorf("%s without %q has %s, want %s", c.typ, c.without, got, c.want)
		}
	}
}
