-- Who the caller is: the claim "sub" of the token, or NULL. A subject that is
-- no id of ours is nobody rather than an error. Policies call it in a
-- sub-select, so that it runs once per statement and not once per row.
CREATE FUNCTION current_user_id() RETURNS integer
	LANGUAGE sql STABLE PARALLEL SAFE
	RETURN (
		SELECT CASE WHEN claim.sub ~ '^[0-9]{1,9}$' THEN claim.sub::integer END
		FROM (SELECT nullif(current_setting('request.jwt.claims', true), '')::json ->> 'sub') AS claim (sub)
	);

ALTER TABLE "User" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE "Profile" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE "Post" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE "Comment" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE "Tag" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE "_PostToTag" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE "Like" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
ALTER TABLE "Revision" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

-- People and their profiles are public; everybody keeps their own.
CREATE POLICY "User_select" ON "User" FOR SELECT TO publishing_anon, publishing_member
	USING (true);
CREATE POLICY "User_insert" ON "User" FOR INSERT TO publishing_member
	WITH CHECK (id = (SELECT current_user_id()));
CREATE POLICY "User_update" ON "User" FOR UPDATE TO publishing_member
	USING (id = (SELECT current_user_id()));
CREATE POLICY "User_delete" ON "User" FOR DELETE TO publishing_member
	USING (id = (SELECT current_user_id()));

CREATE POLICY "Profile_select" ON "Profile" FOR SELECT TO publishing_anon, publishing_member
	USING (true);
CREATE POLICY "Profile_insert" ON "Profile" FOR INSERT TO publishing_member
	WITH CHECK ("userId" = (SELECT current_user_id()));
CREATE POLICY "Profile_update" ON "Profile" FOR UPDATE TO publishing_member
	USING ("userId" = (SELECT current_user_id()));
CREATE POLICY "Profile_delete" ON "Profile" FOR DELETE TO publishing_member
	USING ("userId" = (SELECT current_user_id()));

-- Published posts are for everybody, drafts for their author.
CREATE POLICY "Post_select" ON "Post" FOR SELECT TO publishing_anon, publishing_member
	USING (published OR "authorId" = (SELECT current_user_id()));
CREATE POLICY "Post_insert" ON "Post" FOR INSERT TO publishing_member
	WITH CHECK ("authorId" = (SELECT current_user_id()));
CREATE POLICY "Post_update" ON "Post" FOR UPDATE TO publishing_member
	USING ("authorId" = (SELECT current_user_id()));
CREATE POLICY "Post_delete" ON "Post" FOR DELETE TO publishing_member
	USING ("authorId" = (SELECT current_user_id()));

-- What hangs on a post is visible where the post is: the policy of "Post"
-- applies to the sub-select.
CREATE POLICY "Comment_select" ON "Comment" FOR SELECT TO publishing_anon, publishing_member
	USING (EXISTS (SELECT FROM "Post" p WHERE p.id = "postId"));
CREATE POLICY "Comment_insert" ON "Comment" FOR INSERT TO publishing_member
	WITH CHECK ("authorId" = (SELECT current_user_id())
		AND EXISTS (SELECT FROM "Post" p WHERE p.id = "postId"));
CREATE POLICY "Comment_update" ON "Comment" FOR UPDATE TO publishing_member
	USING ("authorId" = (SELECT current_user_id()))
	WITH CHECK ("authorId" = (SELECT current_user_id())
		AND EXISTS (SELECT FROM "Post" p WHERE p.id = "postId"));
CREATE POLICY "Comment_delete" ON "Comment" FOR DELETE TO publishing_member
	USING ("authorId" = (SELECT current_user_id()));

CREATE POLICY "Like_select" ON "Like" FOR SELECT TO publishing_anon, publishing_member
	USING (EXISTS (SELECT FROM "Post" p WHERE p.id = "postId"));
CREATE POLICY "Like_insert" ON "Like" FOR INSERT TO publishing_member
	WITH CHECK ("userId" = (SELECT current_user_id())
		AND EXISTS (SELECT FROM "Post" p WHERE p.id = "postId"));
CREATE POLICY "Like_update" ON "Like" FOR UPDATE TO publishing_member
	USING ("userId" = (SELECT current_user_id()))
	WITH CHECK ("userId" = (SELECT current_user_id())
		AND EXISTS (SELECT FROM "Post" p WHERE p.id = "postId"));
CREATE POLICY "Like_delete" ON "Like" FOR DELETE TO publishing_member
	USING ("userId" = (SELECT current_user_id()));

-- Anybody may read the tags and a member may coin one, but nobody owns them.
CREATE POLICY "Tag_select" ON "Tag" FOR SELECT TO publishing_anon, publishing_member
	USING (true);
CREATE POLICY "Tag_insert" ON "Tag" FOR INSERT TO publishing_member
	WITH CHECK (true);
CREATE POLICY "Tag_update" ON "Tag" FOR UPDATE TO publishing_member
	USING (false);
CREATE POLICY "Tag_delete" ON "Tag" FOR DELETE TO publishing_member
	USING (false);

-- The tags of a post are its author's business.
CREATE POLICY "_PostToTag_select" ON "_PostToTag" FOR SELECT TO publishing_anon, publishing_member
	USING (EXISTS (SELECT FROM "Post" p WHERE p.id = "A"));
CREATE POLICY "_PostToTag_insert" ON "_PostToTag" FOR INSERT TO publishing_member
	WITH CHECK (EXISTS (SELECT FROM "Post" p WHERE p.id = "A" AND p."authorId" = (SELECT current_user_id())));
CREATE POLICY "_PostToTag_update" ON "_PostToTag" FOR UPDATE TO publishing_member
	USING (EXISTS (SELECT FROM "Post" p WHERE p.id = "A" AND p."authorId" = (SELECT current_user_id())));
CREATE POLICY "_PostToTag_delete" ON "_PostToTag" FOR DELETE TO publishing_member
	USING (EXISTS (SELECT FROM "Post" p WHERE p.id = "A" AND p."authorId" = (SELECT current_user_id())));

-- Revisions are for the author of the post, whoever made them.
CREATE POLICY "Revision_select" ON "Revision" FOR SELECT TO publishing_member
	USING (EXISTS (SELECT FROM "Post" p WHERE p.id = "postId" AND p."authorId" = (SELECT current_user_id())));
CREATE POLICY "Revision_insert" ON "Revision" FOR INSERT TO publishing_member
	WITH CHECK ("editorId" = (SELECT current_user_id())
		AND EXISTS (SELECT FROM "Post" p WHERE p.id = "postId" AND p."authorId" = (SELECT current_user_id())));
CREATE POLICY "Revision_update" ON "Revision" FOR UPDATE TO publishing_member
	USING ("editorId" = (SELECT current_user_id())
		AND EXISTS (SELECT FROM "Post" p WHERE p.id = "postId" AND p."authorId" = (SELECT current_user_id())));
CREATE POLICY "Revision_delete" ON "Revision" FOR DELETE TO publishing_member
	USING (EXISTS (SELECT FROM "Post" p WHERE p.id = "postId" AND p."authorId" = (SELECT current_user_id())));

GRANT USAGE ON SCHEMA public TO publishing_anon, publishing_member;
GRANT EXECUTE ON FUNCTION current_user_id() TO publishing_anon, publishing_member;

-- Without a token: no e-mail addresses, no revisions, no writes.
GRANT SELECT (id, name, handle, "countryCode", reputation, active, "suspendedUntil", "createdAt")
	ON "User" TO publishing_anon;
GRANT SELECT ON "Profile", "Post", "Comment", "Tag", "_PostToTag", "Like" TO publishing_anon;

-- Reputation and suspension are granted by the house, not by their bearer.
GRANT SELECT, DELETE ON "User" TO publishing_member;
GRANT INSERT (id, name, handle, email, "countryCode") ON "User" TO publishing_member;
GRANT UPDATE (name, handle, email, "countryCode", active) ON "User" TO publishing_member;
GRANT SELECT, INSERT ON "Tag" TO publishing_member;
GRANT SELECT, INSERT, UPDATE, DELETE
	ON "Profile", "Post", "Comment", "_PostToTag", "Like", "Revision" TO publishing_member;
