-- The journal in PostgreSQL: one database and four roles, each with what its work needs and nothing else.
--
--   svc_registry_owner    owns the tables: svc-registry journal init, announce-key, rotate-key and forget, and every
--                         upgrade that changes tables
--   svc_registry          the nodes: adds records, moves the head of the log, and can change or delete nothing else
--   svc_registry_pruner   svc-registry journal prune: takes out the bytes of old records, and says where the log begins
--   svc_registry_reader   svc-registry journal list, verify and export, and pg_dump: reads
--
--   1. As a superuser, run this file once, and give each role a password:   psql -f deploy/postgresql.sql
--   2. As svc_registry_owner, make the tables and the key, on the first node:
--        SVC_JOURNAL=postgres://svc_registry_owner@db.internal/svc \
--          svc-registry journal init --first-node --data-dir /var/lib/svc-registry
--   3. As svc_registry_owner, give the others their rights:                 psql -d svc -f deploy/postgresql-rights.sql
--   4. Copy journal.key to the data folder of every other node (mode 600), and have it join the log at a state that the
--      first node knows (journal.checkpoint of its data folder, or its address once it runs):
--        SVC_JOURNAL=postgres://svc_registry@db.internal/svc \
--          svc-registry journal init --at-least CHECKPOINT --data-dir /var/lib/svc-registry
--   5. Start the nodes as svc_registry.
--
-- After an upgrade of svc that changes the tables, repeat 2 and 3. Nodes that may not change tables say so and do not start.

CREATE ROLE svc_registry_owner LOGIN PASSWORD NULL NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
CREATE ROLE svc_registry LOGIN PASSWORD NULL CONNECTION LIMIT 40 NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
CREATE ROLE svc_registry_pruner LOGIN PASSWORD NULL CONNECTION LIMIT 4 NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
CREATE ROLE svc_registry_reader LOGIN PASSWORD NULL CONNECTION LIMIT 8 NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
CREATE DATABASE svc OWNER svc_registry_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE svc FROM PUBLIC;
GRANT CONNECT ON DATABASE svc TO svc_registry, svc_registry_pruner, svc_registry_reader;
-- Answered means durable, whatever the server's default is. The service asks for it too, and refuses a server without fsync.
ALTER DATABASE svc SET synchronous_commit = on;

\connect svc
REVOKE ALL ON SCHEMA public FROM PUBLIC;
