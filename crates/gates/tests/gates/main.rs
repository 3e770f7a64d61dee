//! The gates: what ships, tried with programs of others. Each is one test here, and needs packages that
//! `cargo xtask packages` names; `cargo xtask gates` runs them all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "a gate tells what it measured")]

mod alerts;
mod api_description;
mod chromium;
mod deploy;
mod exports;
mod getting;
mod journal_model;
mod journal_readers;
mod mounts;
mod projects;
mod readiness;
mod real_packages;
mod receivers;
mod reproducible;
mod shipped;
mod supply_chain;
mod webhooks;

use std::{
    fs,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;

/// Tests that start nginx and databases, or that put packages of npm in, take turns.
fn servers() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn packages() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Making the release files rebuilds the programs, so no other gate may start them meanwhile.
fn make_shipped() {
    let _turns = (servers(), packages());
    if let Err(fault) = shipped::shipped() {
        panic!("{fault:?}");
    }
}

macro_rules! gates {
    ($($turn:ident $name:ident: $check:path $(, $first:ident)?);* $(;)?) => {$(
        #[test]
        #[ignore = "a gate"]
        fn $name() {
            $($first();)?
            let _turn = $turn();
            if let Err(fault) = $check() {
                panic!("{fault:?}");
            }
        }
    )*};
}

/// What takes hours, for `cargo xtask campaign`. Each leaves its record in the folder that `SVC_CAMPAIGN` names.
macro_rules! campaigns {
    ($($name:ident: $record:literal, $run:path),* $(,)?) => {$(
        #[test]
        #[ignore = "a campaign"]
        fn $name() {
            let record: Value = match $run() {
                Ok(record) => record,
                Err(fault) => panic!("{fault:?}"),
            };
            if let Some(folder) = std::env::var_os("SVC_CAMPAIGN").map(PathBuf::from) {
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join(concat!($record, ".json")), record.to_string()).unwrap();
            }
            assert_eq!(record["found"].as_array().map(Vec::len), Some(0), "{record:#}");
        }
    )*};
}

campaigns! {
    campaign_model: "model", journal_model::campaign,
    campaign_operations: "operations", deploy::operations::campaign,
    campaign_real_packages: "real-packages", real_packages::campaign,
    campaign_reproducible: "reproducible", reproducible::campaign,
    campaign_requests: "requests", api_description::campaign,
}

gates! {
    servers alerts_fire_and_the_dashboard_shows: alerts::check;
    servers mounts_hold_level_build: mounts::check;
    servers deploy_works_as_shipped: deploy::check, make_shipped;
    servers readers_of_others_read_the_journal: journal_readers::check;
    servers readiness_scripts_run_as_written: readiness::check;
    packages api_description_is_kept: api_description::check;
    packages chromium_shows_the_pages: chromium::check;
    packages exports_are_read_by_others: exports::check;
    packages getting_svc_works_in_every_way: getting::check, make_shipped;
    packages model_of_the_journal_holds: journal_model::check;
    packages projects_are_begun_by_init: projects::check;
    packages receivers_in_other_languages_work: receivers::check;
    packages supply_chain_is_as_it_says: supply_chain::check, make_shipped;
    packages webhooks_are_read_by_others: webhooks::check;
}
