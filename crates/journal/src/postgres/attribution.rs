//! The table of who asked, in PostgreSQL.

use std::{collections::BTreeMap, ops::Range};

use deadpool_postgres::{GenericClient, Object, Transaction};
use svc_core::journal::attribution::Attribution;
use svc_proof::fault::JournalFault;
use tokio_postgres::{Error, Row, types::ToSql};

use crate::attribution::{AttributionFilter, AttributionRow, FilterParameters, NameColumns};

/// What a filter means; its parameters are place, time, owner, token and package.
const WANTED: &str = "($1::int8 IS NULL OR place < $1) AND ($2::int8 IS NULL OR time < $2) \
                      AND ($3::text IS NULL OR owner = $3) AND ($4::text IS NULL OR token = $4) \
                      AND ($5::text IS NULL OR package_id = $5)";

pub(super) async fn insert(transaction: &Transaction<'_>, rows: &[AttributionRow]) -> Result<u64, Error> {
    let names: Vec<NameColumns<&str>> = rows.iter().map(|row| NameColumns::of(&row.attribution)).collect();
    let places: Vec<i64> = rows.iter().map(|row| row.place.cast_signed()).collect();
    let times: Vec<i64> = rows.iter().map(|row| row.time.millis().cast_signed()).collect();
    let owners: Vec<Option<&str>> = names.iter().map(|names| names.owner).collect();
    let tokens: Vec<Option<&str>> = names.iter().map(|names| names.token).collect();
    let ids: Vec<Option<&str>> = names.iter().map(|names| names.package_id).collect();
    let versions: Vec<Option<&str>> = names.iter().map(|names| names.package_version).collect();
    let add = "INSERT INTO svc_journal.attribution (place, time, owner, token, package_id, package_version) \
               SELECT * FROM UNNEST($1::int8[], $2::int8[], $3::text[], $4::text[], $5::text[], $6::text[])";
    let add = transaction.prepare_cached(add).await?;
    let values: [&(dyn ToSql + Sync); 6] = [&places, &times, &owners, &tokens, &ids, &versions];
    transaction.execute(&add, &values).await
}

pub(super) async fn between(client: &Object, places: &Range<u64>) -> Result<Vec<Row>, Error> {
    let query = "SELECT place, owner, token, package_id, package_version FROM svc_journal.attribution \
                 WHERE place >= $1 AND place < $2";
    let bound = |place: u64| i64::try_from(place).unwrap_or(i64::MAX);
    client.query(query, &[&bound(places.start), &bound(places.end)]).await
}

pub(super) fn read(rows: &[Row]) -> Result<BTreeMap<u64, Attribution>, JournalFault> {
    let other = |_| JournalFault::corrupt("a column of the journal's tables has another type");
    let one = |row: &Row| {
        let place = row.try_get::<_, i64>(0).map_err(other)?.cast_unsigned();
        let names: NameColumns<String> = NameColumns {
            owner: row.try_get(1).map_err(other)?,
            token: row.try_get(2).map_err(other)?,
            package_id: row.try_get(3).map_err(other)?,
            package_version: row.try_get(4).map_err(other)?,
        };
        Ok((place, names.read()))
    };
    rows.iter().map(one).collect()
}

pub(super) async fn count(client: &Object, of: &AttributionFilter) -> Result<u64, Error> {
    let FilterParameters { place, time, owner, token, package_id } = FilterParameters::of(of);
    let query = format!("SELECT count(*) FROM svc_journal.attribution WHERE {WANTED}");
    let row = client.query_one(&query, &[&place, &time, &owner, &token, &package_id]).await?;
    row.try_get::<_, i64>(0).map(i64::cast_unsigned)
}

/// Deletes rows, and tells how many. Other nodes go on.
pub(super) async fn delete(client: &Object, of: &AttributionFilter) -> Result<u64, Error> {
    let FilterParameters { place, time, owner, token, package_id } = FilterParameters::of(of);
    client.batch_execute("SET statement_timeout = 0").await?;
    let delete = format!("DELETE FROM svc_journal.attribution WHERE {WANTED}");
    client.execute(&delete, &[&place, &time, &owner, &token, &package_id]).await
}

/// Writes the table into a new file without what was deleted; whether that was done. PostgreSQL only warns a role that may
/// not.
pub(super) async fn rewrite(client: &Object) -> Result<bool, Error> {
    let file = "SELECT pg_relation_filenode('svc_journal.attribution')::int8";
    let before: Option<i64> = client.query_one(file, &[]).await?.try_get(0)?;
    client.batch_execute("VACUUM (FULL) svc_journal.attribution").await?;
    let after: Option<i64> = client.query_one(file, &[]).await?.try_get(0)?;
    Ok(before != after)
}
