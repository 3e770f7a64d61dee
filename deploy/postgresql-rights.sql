-- What each role of deploy/postgresql.sql may do with the tables of the journal. Run it as svc_registry_owner, after
-- `svc-registry journal init` and after every upgrade that changes the tables. What is not granted here is refused, and
-- what was granted before is taken back. Run it again after the first `svc-registry events add`, which makes the table of the endpoints.

BEGIN;
REVOKE ALL ON SCHEMA svc_journal FROM PUBLIC, svc_registry, svc_registry_pruner, svc_registry_reader;
REVOKE ALL ON ALL TABLES IN SCHEMA svc_journal FROM PUBLIC, svc_registry, svc_registry_pruner, svc_registry_reader;
GRANT USAGE ON SCHEMA svc_journal TO svc_registry, svc_registry_pruner, svc_registry_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA svc_journal TO svc_registry, svc_registry_reader;

-- Records are added and never changed; the head moves. Keys and their hand-overs are added by the owner.
GRANT INSERT ON svc_journal.entry, svc_journal.attribution TO svc_registry;
GRANT UPDATE (size, edge, root) ON svc_journal.head TO svc_registry;

-- The bytes of a record, never its hashes: whatever stands there instead is found by them. Who asked is not its business.
GRANT SELECT ON svc_journal.entry, svc_journal.head, svc_journal.log_key, svc_journal.hand_over, svc_journal.migration,
    svc_journal.minimum_index TO svc_registry_pruner;
GRANT UPDATE (record) ON svc_journal.entry TO svc_registry_pruner;
GRANT INSERT, UPDATE ON svc_journal.minimum_index TO svc_registry_pruner;

-- Endpoints of webhooks, with their secrets: nodes move the cursor and hold the lease. Whoever only reads the log sees none.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'svc_events') THEN
        REVOKE ALL ON SCHEMA svc_events FROM PUBLIC, svc_registry, svc_registry_pruner, svc_registry_reader;
        REVOKE ALL ON ALL TABLES IN SCHEMA svc_events FROM PUBLIC, svc_registry, svc_registry_pruner, svc_registry_reader;
        GRANT USAGE ON SCHEMA svc_events TO svc_registry;
        GRANT SELECT ON svc_events.endpoint TO svc_registry;
        GRANT UPDATE (version, document, lease_owner, lease_until) ON svc_events.endpoint TO svc_registry;
    END IF;
END
$$;
COMMIT;
