//! Endpoints of webhooks in tables of their own, in the database that the nodes share. One node at a time has the lease of an
//! endpoint, by the clock of the database.

use svc_core::journal::delivery::EndpointName;
use svc_proof::fault::JournalFault;

use super::{database::Database, fault::cell, settings::Settings};
use crate::{
    endpoint::EventEndpoint,
    endpoint_store::{EndpointList, EndpointStore, MOST_ENDPOINTS, StoredEndpoint, read, too_many, write},
    stored_name,
};

/// Connections of one node.
const POOL_SIZE: usize = 2;

/// The advisory lock of whoever makes the tables or counts endpoints: `svce`.
const LOCK: i64 = 0x7376_6365;

const TABLES: &str = "CREATE SCHEMA IF NOT EXISTS svc_events;
    CREATE TABLE IF NOT EXISTS svc_events.endpoint (name text PRIMARY KEY, version int8 NOT NULL, document text NOT NULL, lease_owner text, lease_until timestamptz);";

#[derive(Debug)]
pub struct PostgresEndpoints {
    database: Database,
}

impl PostgresEndpoints {
    /// The store in a database, when there is one. Nothing is changed.
    ///
    /// # Errors
    /// When the database does not answer.
    pub fn find(settings: &Settings) -> Result<Option<Self>, JournalFault> {
        let store = Self::connect(settings)?;
        Ok(store.has_tables()?.then_some(store))
    }

    /// The same, made when it is missing.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open_or_create(settings: &Settings) -> Result<Self, JournalFault> {
        let store = Self::connect(settings)?;
        if !store.has_tables()? {
            let mut client = store.database.client()?;
            store.database.wait(async {
                let transaction = client.transaction().await?;
                transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
                transaction.batch_execute(TABLES).await?;
                transaction.commit().await
            })?;
        }
        Ok(store)
    }

    fn connect(settings: &Settings) -> Result<Self, JournalFault> {
        Ok(Self { database: Database::new(settings, POOL_SIZE, "svc-events-db")? })
    }

    fn has_tables(&self) -> Result<bool, JournalFault> {
        let client = self.database.client()?;
        let rows = self.database.wait(client.query("SELECT to_regclass('svc_events.endpoint') IS NOT NULL", &[]))?;
        rows.first().map_or(Ok(false), |row| cell(row, 0))
    }
}

impl EndpointStore for PostgresEndpoints {
    fn name(&self) -> String {
        self.database.name().to_owned()
    }

    fn now(&self) -> Result<u64, JournalFault> {
        let client = self.database.client()?;
        let query = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8";
        let rows = self.database.wait(client.query(query, &[]))?;
        let millis: i64 = rows.first().map_or(Ok(0), |row| cell(row, 0))?;
        Ok(u64::try_from(millis).unwrap_or_default())
    }

    fn list(&self) -> Result<EndpointList, JournalFault> {
        let client = self.database.client()?;
        let query = "SELECT name, version, document FROM svc_events.endpoint ORDER BY name LIMIT $1";
        let rows = self.database.wait(client.query(query, &[&(MOST_ENDPOINTS.cast_signed() as i64)]))?;
        let mut list = EndpointList::default();
        for row in &rows {
            let (name, document): (&str, &str) = (cell(row, 0)?, cell(row, 2)?);
            list.add(name.as_bytes(), cell(row, 1)?, document.as_bytes());
        }
        Ok(list)
    }

    fn get(&self, name: &EndpointName) -> Result<Option<StoredEndpoint>, JournalFault> {
        let client = self.database.client()?;
        let query = "SELECT version, document FROM svc_events.endpoint WHERE name = $1";
        let rows = self.database.wait(client.query(query, &[&name.as_str()]))?;
        let Some(row) = rows.first() else { return Ok(None) };
        let document: &str = cell(row, 1)?;
        read(name.as_str(), cell(row, 0)?, document.as_bytes()).map(Some)
    }

    fn insert(&self, endpoint: &EventEndpoint) -> Result<bool, JournalFault> {
        let mut client = self.database.client()?;
        let document = write(endpoint)?;
        let (added, count) = self.database.wait(async {
            let transaction = client.transaction().await?;
            transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
            let count =
                transaction.query_one("SELECT count(*) FROM svc_events.endpoint", &[]).await?.try_get::<_, i64>(0)?;
            let add =
                "INSERT INTO svc_events.endpoint (name, version, document) VALUES ($1, 1, $2) ON CONFLICT DO NOTHING";
            let added = transaction.execute(add, &[&endpoint.name.as_str(), &document]).await?;
            if added == 0 || count < MOST_ENDPOINTS.cast_signed() as i64 {
                transaction.commit().await?;
            }
            Ok((added > 0, count))
        })?;
        if added && count >= MOST_ENDPOINTS.cast_signed() as i64 { Err(too_many()) } else { Ok(added) }
    }

    fn replace(&self, version: i64, endpoint: &EventEndpoint) -> Result<bool, JournalFault> {
        let client = self.database.client()?;
        let change =
            "UPDATE svc_events.endpoint SET version = version + 1, document = $3 WHERE name = $1 AND version = $2";
        let changed =
            self.database.wait(client.execute(change, &[&endpoint.name.as_str(), &version, &write(endpoint)?]))?;
        Ok(changed > 0)
    }

    fn remove(&self, name: &EndpointName) -> Result<bool, JournalFault> {
        let client = self.database.client()?;
        let removed =
            self.database.wait(client.execute("DELETE FROM svc_events.endpoint WHERE name = $1", &[&name.as_str()]))?;
        Ok(removed > 0)
    }

    fn remove_unreadable(&self, shown: &str) -> Result<bool, JournalFault> {
        let client = self.database.client()?;
        for row in &self.database.wait(client.query("SELECT name FROM svc_events.endpoint", &[]))? {
            let name: &str = cell(row, 0)?;
            if stored_name::shown(name.as_bytes()) == shown {
                let delete = "DELETE FROM svc_events.endpoint WHERE name = $1";
                return Ok(self.database.wait(client.execute(delete, &[&name]))? > 0);
            }
        }
        Ok(false)
    }

    fn take_lease(&self, name: &EndpointName, owner: &str, millis: u64) -> Result<bool, JournalFault> {
        let client = self.database.client()?;
        let take = "UPDATE svc_events.endpoint \
                    SET lease_owner = $2, lease_until = clock_timestamp() + $3::int8 * interval '1 millisecond' \
                    WHERE name = $1 AND (lease_owner IS NULL OR lease_owner = $2 OR lease_until < clock_timestamp())";
        let millis = i64::try_from(millis).unwrap_or(i64::MAX);
        let taken = self.database.wait(client.execute(take, &[&name.as_str(), &owner, &millis]))?;
        Ok(taken > 0)
    }

    fn give_back(&self, owner: &str) -> Result<(), JournalFault> {
        let client = self.database.client()?;
        let give = "UPDATE svc_events.endpoint SET lease_owner = NULL, lease_until = NULL WHERE lease_owner = $1";
        self.database.wait(client.execute(give, &[&owner])).map(|_| ())
    }
}
