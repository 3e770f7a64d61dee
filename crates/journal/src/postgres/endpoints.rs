//! Endpoints of webhooks in tables of their own, in the database that the nodes share. One node at a time has the lease of an
//! endpoint, by the clock of the database.

use std::{fmt, future::Future, time::Duration};

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime as PoolRuntime};
use svc_core::journal::delivery::EndpointName;
use tokio::runtime::Runtime;
use tokio_postgres::Error;

use super::{
    fault::{cell, sql, with_causes},
    settings::Settings,
};
use crate::{
    endpoint::EventEndpoint,
    endpoint_store::{EndpointStore, MOST_ENDPOINTS, StoredEndpoint, read, too_many, write},
    fault::{JournalFault, JournalFaultKind},
};

/// Connections of one node.
const POOL_SIZE: usize = 2;

const QUERY_TIMEOUT: Duration = Duration::from_secs(7);

/// The advisory lock of whoever makes the tables or counts endpoints: `svce`.
const LOCK: i64 = 0x7376_6365;

const TABLES: &str = "CREATE SCHEMA IF NOT EXISTS svc_events;
    CREATE TABLE IF NOT EXISTS svc_events.endpoint (name text PRIMARY KEY, version int8 NOT NULL, document text NOT NULL, lease_owner text, lease_until timestamptz);";

pub struct PostgresEndpoints {
    name: String,
    pool: Pool,
    /// Taken when the store ends: a runtime must not be waited for inside another one.
    runtime: Option<Runtime>,
}

impl fmt::Debug for PostgresEndpoints {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("PostgresEndpoints").field(&self.name).finish()
    }
}

impl Drop for PostgresEndpoints {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
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
            let mut client = store.client()?;
            store.wait(async {
                let transaction = client.transaction().await?;
                transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
                transaction.batch_execute(TABLES).await?;
                transaction.commit().await
            })?;
        }
        Ok(store)
    }

    fn connect(settings: &Settings) -> Result<Self, JournalFault> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("svc-events-db")
            .enable_all()
            .build()
            .map_err(|error| JournalFault::io("start a thread", &error))?;
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(settings.config.clone(), settings.tls.clone(), recycling);
        let pool = Pool::builder(manager).max_size(POOL_SIZE).runtime(PoolRuntime::Tokio1).build();
        let pool = pool.map_err(|error| JournalFault::new(JournalFaultKind::Unusable, error.to_string()))?;
        Ok(Self { name: settings.name(), pool, runtime: Some(runtime) })
    }

    fn has_tables(&self) -> Result<bool, JournalFault> {
        let client = self.client()?;
        let rows = self.wait(client.query("SELECT to_regclass('svc_events.endpoint') IS NOT NULL", &[]))?;
        rows.first().map_or(Ok(false), |row| cell(row, 0))
    }

    fn client(&self) -> Result<Object, JournalFault> {
        match self.within(self.pool.get()) {
            Some(Ok(client)) => Ok(client),
            Some(Err(error)) => Err(JournalFault::new(
                JournalFaultKind::Unreachable,
                format!("{} cannot be reached: {}", self.name, with_causes(&error)),
            )),
            None => Err(self.silent()),
        }
    }

    fn wait<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, JournalFault> {
        match self.within(work) {
            Some(done) => done.map_err(|error| sql(&error)),
            None => Err(self.silent()),
        }
    }

    /// Waits on this thread, and not for ever.
    fn within<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let runtime = self.runtime.as_ref()?;
        runtime.block_on(async { tokio::time::timeout(QUERY_TIMEOUT, work).await.ok() })
    }

    fn silent(&self) -> JournalFault {
        JournalFault::new(JournalFaultKind::Unreachable, format!("{} did not answer in time", self.name))
    }
}

impl EndpointStore for PostgresEndpoints {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn now(&self) -> Result<u64, JournalFault> {
        let client = self.client()?;
        let query = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8";
        let rows = self.wait(client.query(query, &[]))?;
        let millis: i64 = rows.first().map_or(Ok(0), |row| cell(row, 0))?;
        Ok(u64::try_from(millis).unwrap_or_default())
    }

    fn list(&self) -> Result<Vec<StoredEndpoint>, JournalFault> {
        let client = self.client()?;
        let query = "SELECT name, version, document FROM svc_events.endpoint ORDER BY name LIMIT $1";
        let rows = self.wait(client.query(query, &[&(MOST_ENDPOINTS.cast_signed() as i64)]))?;
        rows.iter()
            .map(|row| {
                let (name, document): (String, String) = (cell(row, 0)?, cell(row, 2)?);
                Ok(StoredEndpoint { endpoint: read(&name, &document)?, version: cell(row, 1)? })
            })
            .collect()
    }

    fn get(&self, name: &EndpointName) -> Result<Option<StoredEndpoint>, JournalFault> {
        let client = self.client()?;
        let query = "SELECT version, document FROM svc_events.endpoint WHERE name = $1";
        let rows = self.wait(client.query(query, &[&name.as_str()]))?;
        let Some(row) = rows.first() else { return Ok(None) };
        let document: String = cell(row, 1)?;
        Ok(Some(StoredEndpoint { endpoint: read(name.as_str(), &document)?, version: cell(row, 0)? }))
    }

    fn insert(&self, endpoint: &EventEndpoint) -> Result<bool, JournalFault> {
        let mut client = self.client()?;
        let document = write(endpoint)?;
        let (added, count) = self.wait(async {
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
        let client = self.client()?;
        let change =
            "UPDATE svc_events.endpoint SET version = version + 1, document = $3 WHERE name = $1 AND version = $2";
        let changed = self.wait(client.execute(change, &[&endpoint.name.as_str(), &version, &write(endpoint)?]))?;
        Ok(changed > 0)
    }

    fn remove(&self, name: &EndpointName) -> Result<bool, JournalFault> {
        let client = self.client()?;
        let removed =
            self.wait(client.execute("DELETE FROM svc_events.endpoint WHERE name = $1", &[&name.as_str()]))?;
        Ok(removed > 0)
    }

    fn take_lease(&self, name: &EndpointName, owner: &str, millis: u64) -> Result<bool, JournalFault> {
        let client = self.client()?;
        let take = "UPDATE svc_events.endpoint \
                    SET lease_owner = $2, lease_until = clock_timestamp() + $3::int8 * interval '1 millisecond' \
                    WHERE name = $1 AND (lease_owner IS NULL OR lease_owner = $2 OR lease_until < clock_timestamp())";
        let millis = i64::try_from(millis).unwrap_or(i64::MAX);
        let taken = self.wait(client.execute(take, &[&name.as_str(), &owner, &millis]))?;
        Ok(taken > 0)
    }

    fn give_back(&self, owner: &str) -> Result<(), JournalFault> {
        let client = self.client()?;
        let give = "UPDATE svc_events.endpoint SET lease_owner = NULL, lease_until = NULL WHERE lease_owner = $1";
        self.wait(client.execute(give, &[&owner])).map(|_| ())
    }
}
