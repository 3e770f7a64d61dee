//! The table of who asked, in SQLite.

use std::{collections::BTreeMap, ops::Range};

use rusqlite::{Connection, Transaction, params};
use svc_core::journal::attribution::Attribution;

use super::fault::sql;
use crate::{
    attribution::{AttributionRow, NameColumns},
    fault::JournalFault,
};

pub(super) fn insert(transaction: &Transaction<'_>, rows: &[AttributionRow]) -> Result<(), JournalFault> {
    let add = "INSERT INTO attribution (place, time, owner, token, package_id, package_version) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut statement = transaction.prepare_cached(add).map_err(sql)?;
    for row in rows {
        let names = NameColumns::of(&row.attribution);
        let (place, time) = (row.place.cast_signed(), row.time.millis().cast_signed());
        let values = params![place, time, names.owner, names.token, names.package_id, names.package_version];
        statement.execute(values).map_err(sql)?;
    }
    Ok(())
}

pub(super) fn between(
    connection: &Connection,
    places: &Range<u64>,
) -> Result<BTreeMap<u64, Attribution>, JournalFault> {
    let query =
        "SELECT place, owner, token, package_id, package_version FROM attribution WHERE place >= ?1 AND place < ?2";
    let mut statement = connection.prepare_cached(query).map_err(sql)?;
    let bound = |place: u64| i64::try_from(place).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![bound(places.start), bound(places.end)], |row| {
        let names = NameColumns {
            owner: row.get::<_, Option<String>>(1)?,
            token: row.get(2)?,
            package_id: row.get(3)?,
            package_version: row.get(4)?,
        };
        Ok((row.get::<_, i64>(0)?.cast_unsigned(), names))
    });
    let rows: Vec<(u64, NameColumns<String>)> = rows.and_then(Iterator::collect).map_err(sql)?;
    rows.into_iter().map(|(place, names)| Ok((place, names.read(place)?))).collect()
}
