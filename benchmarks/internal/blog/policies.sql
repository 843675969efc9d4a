-- Who the caller is stands in app.user_id. Policies read it in a sub-select, so
-- that it is read once per statement and not once per row.
ALTER TABLE "User" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE "Post" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE "Comment" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE "Tag" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE "_PostToTag" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY "User_select" ON "User" FOR SELECT TO blog_member USING (true);
CREATE POLICY "Tag_select" ON "Tag" FOR SELECT TO blog_member USING (true);
CREATE POLICY "_PostToTag_select" ON "_PostToTag" FOR SELECT TO blog_member USING (true);

-- Published posts are for everybody, drafts for their author; so are hidden
-- comments.
CREATE POLICY "Post_select" ON "Post" FOR SELECT TO blog_member
	USING (published OR "authorId" = (SELECT nullif(current_setting('app.user_id', true), '')::integer));
CREATE POLICY "Comment_select" ON "Comment" FOR SELECT TO blog_member
	USING (NOT hidden OR "authorId" = (SELECT nullif(current_setting('app.user_id', true), '')::integer));

CREATE POLICY "Post_insert" ON "Post" FOR INSERT TO blog_member
	WITH CHECK ("authorId" = (SELECT nullif(current_setting('app.user_id', true), '')::integer));
CREATE POLICY "Post_update" ON "Post" FOR UPDATE TO blog_member
	USING ("authorId" = (SELECT nullif(current_setting('app.user_id', true), '')::integer));
CREATE POLICY "Post_delete" ON "Post" FOR DELETE TO blog_member
	USING ("authorId" = (SELECT nullif(current_setting('app.user_id', true), '')::integer));

GRANT USAGE ON SCHEMA public TO blog_member;
GRANT SELECT ON "User", "Post", "Comment", "Tag", "_PostToTag" TO blog_member;
GRANT INSERT, UPDATE, DELETE ON "Post" TO blog_member;
