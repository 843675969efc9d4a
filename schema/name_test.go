package schema

import "testing"

// Words as they appear in table names. What is no plural in English becomes
// one; what is one stays.
func TestPlural(t *testing.T) {
	for word, want := range map[string]string{
		"post": "posts", "posts": "posts", "blogpost": "blogposts", "blog_post": "blog_posts", "BlogPost": "BlogPosts",
		"category": "categories", "person": "people", "people": "people", "salesperson": "salespeople",
		"news": "news", "status": "statuses", "statuses": "statuses", "address": "addresses",
		"data": "data", "datum": "data", "metadata": "metadata", "series": "series", "users": "users", "Users": "Users",
		"fish": "fish", "media": "media", "child": "children", "children": "children", "analysis": "analyses",
		"userid": "userids", "like": "likes", "reply": "replies", "hero": "heroes", "bus": "buses", "key": "keys",
		"city": "cities", "country": "countries", "menu": "menus", "menus": "menus", "video": "videos", "videos": "videos",
		"photo": "photos", "leaf": "leaves", "woman": "women", "human": "humans", "box": "boxes", "quiz": "quizzes",
		"sheep": "sheep", "equipment": "equipment", "settings": "settings", "criterion": "criteria", "virus": "viruses",
	} {
		if got := plural(word); got != want {
			t.Errorf("plural(%q) = %q, want %q", word, got, want)
		}
		if got := plural(want); got != want {
			t.Errorf("plural(%q) = %q, but it is one", want, got)
		}
	}
}

func TestSingular(t *testing.T) {
	for word, want := range map[string]string{
		"profiles": "profile", "profile": "profile", "categories": "category", "people": "person", "news": "news",
		"statuses": "status", "status": "status", "addresses": "address", "address": "address", "series": "series",
		"children": "child", "analyses": "analysis", "data": "data", "metadata": "metadata", "heroes": "hero",
		"buses": "bus", "bus": "bus", "keys": "key", "replies": "reply", "lens": "lens", "gas": "gas", "canvas": "canvas",
		"menus": "menu", "videos": "video", "movies": "movie", "houses": "house", "caches": "cache", "Users": "User",
		"campus": "campus", "bonus": "bonus", "order_lines": "order_line", "process": "process",
	} {
		if got := singular(word); got != want {
			t.Errorf("singular(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestMemberName(t *testing.T) {
	for name, want := range map[string]string{
		"title": "title", "createdAt": "createdAt", "created_at": "created_at", "a-b": "a-b", "größe": "größe", "名": "名", "9lives": "9lives",
		"_x": "x", "x_": "x", "__x__": "x", "-x": "x", "a.b": "a-b", "two words": "two-words", " a ": "a", "$price": "price",
		"a/b?c#d": "a-b-c-d", `say "hi"`: "say--hi", "a\tb": "a-b", "a\u00a0b": "a-b", "a\u200bb": "a-b", "\xff": "", "_": "", "": "",
	} {
		if got := memberName(name); got != want {
			t.Errorf("memberName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestRoleOfColumn(t *testing.T) {
	for column, want := range map[string]string{
		"authorId": "author", "author_id": "author", "authorID": "author", "author": "author", "AUTHOR_ID": "AUTHOR",
		"id": "", "Id": "", "_id": "", "paid": "paid", "idea": "idea", "a.b_id": "a-b", "author__id": "author",
	} {
		if got := role(column); got != want {
			t.Errorf("role(%q) = %q, want %q", column, got, want)
		}
	}
}
