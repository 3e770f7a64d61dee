-- The journal in PostgreSQL: one database, a role that owns the tables, and a role for the nodes that can add records and
-- change nothing but the head of the log. Who asked stands in a table of its own; the owner alone deletes from it
-- (svc journal forget), and alone prunes records (svc journal prune).
--
--   1. As a superuser, set two passwords below and run this file once:   psql -f deploy/postgresql.sql
--   2. As svc_registry_owner, make the tables and the key, on the first node:
--        SVC_JOURNAL=postgres://svc_registry_owner@db.internal/svc svc journal init --first-node --data-dir /var/lib/svc-registry
--   3. As svc_registry_owner, run the grants at the end of this file:    psql -d svc -f …
--   4. Copy journal.key to the data folder of every other node (mode 600), and have it join the log at a state that the
--      first node knows (journal.checkpoint of its data folder, or its address once it runs):
--        SVC_JOURNAL=postgres://svc_registry@db.internal/svc svc journal init --at-least CHECKPOINT --data-dir /var/lib/svc-registry
--   5. Start the nodes as svc_registry.
--
-- After an upgrade of svc that changes the tables, repeat 2 and 3. Nodes that may not change tables say so and do not start.

CREATE ROLE svc_registry_owner LOGIN PASSWORD NULL;
CREATE ROLE svc_registry LOGIN PASSWORD NULL CONNECTION LIMIT 40;
CREATE DATABASE svc OWNER svc_registry_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE svc FROM PUBLIC;
GRANT CONNECT ON DATABASE svc TO svc_registry;
-- Answered means durable, whatever the server's default is. The service asks for it too, and refuses a server without fsync.
ALTER DATABASE svc SET synchronous_commit = on;

\connect svc
REVOKE ALL ON SCHEMA public FROM PUBLIC;

-- Step 3. Records are added and never changed; the head moves; keys and their hand-overs are added by the owner alone (svc journal rotate-key).
DO $$
BEGIN
    IF to_regclass('svc_journal.entry') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA svc_journal TO svc_registry;
        GRANT SELECT ON ALL TABLES IN SCHEMA svc_journal TO svc_registry;
        GRANT INSERT ON svc_journal.entry, svc_journal.attribution TO svc_registry;
        GRANT UPDATE ON svc_journal.head TO svc_registry;
    END IF;
END
$$;
