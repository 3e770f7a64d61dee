//! `cargo xtask campaign`: the full-count runs of what the tests run in slices.
//!
//! The tests themselves do most of the work. This task tells them to use the full counts, collects
//! the record that each leaves, and writes the rows that ran into `docs/assurance.md`.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::{
    api_description,
    campaign_parts::CampaignParts,
    deploy::operations,
    journal_model,
    process::{command, root, run, target},
    programs::Program,
    real_packages, reproducible, sdk,
};

/// A campaign: its name and what runs it.
struct Campaign {
    name: &'static str,
    by: Runner,
}

/// What runs a campaign.
enum Runner {
    /// A test: its package, its suite and its name. It leaves its record in the folder that it is told.
    Test(&'static str, &'static str, &'static str),
    /// The same in so many parts: a run that was cut short goes on with the next.
    Parts(usize, &'static str, &'static str, &'static str),
    /// A step of this program, which gives its record.
    Step(fn() -> Result<Value>),
}

const fn of_binary(name: &'static str, test: &'static str) -> Campaign {
    Campaign { name, by: Runner::Test("svc", "binary", test) }
}

const fn of_server(name: &'static str, test: &'static str) -> Campaign {
    Campaign { name, by: Runner::Test("svc-server", "suite", test) }
}

const fn of_service(name: &'static str, test: &'static str) -> Campaign {
    Campaign { name, by: Runner::Test("svc-registry", "serve", test) }
}

const fn of_burden(name: &'static str, test: &'static str) -> Campaign {
    Campaign { name, by: Runner::Test("svc-registry", "burden", test) }
}

/// These take long, and run in parts.
const fn of_journal(name: &'static str, parts: usize, test: &'static str) -> Campaign {
    Campaign { name, by: Runner::Parts(parts, "svc-registry", "journal", test) }
}

const CAMPAIGNS: &[Campaign] = &[
    of_binary("byte-flips", "byte_flips::every_changed_byte_is_refused_or_means_nothing"),
    of_binary("true-claims", "true_claims::every_spelling_of_a_claim_in_every_flag_of_every_file_is_an_open_claim"),
    of_binary("forgeries", "forgeries::a_forgery_whose_digests_all_fit_is_caught_by_the_chain"),
    of_binary("kills", "kills::a_killed_run_leaves_the_old_file_or_the_new_one_and_never_a_torn_one"),
    of_binary("writers", "writers::many_writers_of_one_file_leave_one_complete_file"),
    of_binary("isolation", "isolation::no_command_opens_a_socket_or_starts_a_program"),
    of_server("leaves", "leaves::no_leaf_of_manifest_or_file_table_changes_under_its_digest"),
    of_server("bodies", "bodies::no_malformed_body_gets_more_than_a_closed_refusal"),
    of_server("wire", "abuses::no_abuse_of_the_wire_gets_more_than_a_refusal"),
    of_service("drain", "drain::no_connection_that_was_let_in_loses_its_answer"),
    of_service("resealed", "resealed::no_resealed_chain_puts_its_words_or_its_stage_into_what_anybody_is_told"),
    of_service("readers", "readers::the_registry_the_command_line_and_the_replay_agree_on_every_resealed_document"),
    of_burden("slow-clients", "slow_clients::good_requests_are_answered_beside_slow_ones_as_if_alone"),
    of_service("bad-requests", "bad_requests::no_bad_request_gets_more_than_a_refusal_and_each_has_its_line"),
    of_burden("large-bodies", "large_bodies::large_bodies_are_answered_beside_a_flood_of_small_ones"),
    of_burden("memory", "memory::a_request_takes_no_more_than_three_times_its_body"),
    of_service("streams", "streams::cuts::streams_that_are_cut_at_random_equal_the_log_byte_for_byte"),
    of_journal("kills-sqlite", 20, "kills::a_killed_service_has_every_answer_on_record_once_and_needs_no_help"),
    of_journal("kills-prune", 1, "killed_commands::a_killed_prune_is_ended_by_the_next_run_and_loses_nothing_else"),
    of_journal(
        "kills-rotate-key",
        1,
        "killed_commands::a_killed_change_of_keys_is_ended_by_the_next_run_or_start_and_loses_no_key",
    ),
    of_journal("kills-postgresql", 10, "many_nodes::killed_nodes_and_a_killed_database_leave_one_log_without_gaps"),
    of_journal(
        "deliveries",
        20,
        "deliveries::a_killed_service_delivers_every_record_in_order_and_under_one_id_the_same_bytes",
    ),
    of_journal("followers", 1, "followers::a_crowd_of_followers_costs_answers_little_and_has_every_record_soon"),
    of_journal("followers-postgresql", 1, "followers::a_node_that_did_not_commit_sends_the_record_as_soon"),
    of_journal("failovers", 5, "failovers::a_failover_to_a_synchronous_standby_loses_nothing_that_was_answered"),
    of_journal("lost-records", 2, "failovers::records_that_an_asynchronous_standby_lacks_are_noticed_and_named"),
    Campaign {
        name: "returning-primary",
        by: Runner::Parts(
            20,
            "svc-journal",
            "suite",
            "returning_primary::in_every_order_of_nodes_and_databases_one_history_is_signed",
        ),
    },
    Campaign { name: "operations", by: Runner::Step(operations::campaign) },
    Campaign { name: "model", by: Runner::Step(journal_model::campaign) },
    Campaign { name: "parsers", by: Runner::Test("svc-facts", "fuzz", "no_file_breaks_a_parser") },
    Campaign { name: "real-packages", by: Runner::Step(real_packages::campaign) },
    Campaign { name: "reproducible", by: Runner::Step(reproducible::campaign) },
    Campaign { name: "requests", by: Runner::Step(api_description::campaign) },
    Campaign { name: "differential", by: Runner::Step(sdk::campaign) },
];

const PAGE: &str = "docs/assurance.md";

const INTRODUCTION: &str = "\
# Assurance

What was attacked, how often, on which commit, and what was found. `cargo xtask campaign [NAME]` runs the campaigns against
the release build and rewrites the rows that ran; `cargo xtask test` runs a slice of each with every change. The seed gives
the same cases again; the moments of kills and writers also depend on the machine. Long ones run in parts, which are kept in
`docs/campaigns`: a run that was cut short goes on, as long as the code is the same.

| campaign | what is tried | how often | found | commit | seed |
|---|---|---|---|---|---|
";

/// How the parts of the page begin that no campaign writes.
const OTHERS: &str = "\n## ";

/// Runs one campaign, or all. What one finds does not keep the others from running.
pub(crate) fn run_campaigns(name: Option<&str>) -> Result<()> {
    let chosen: Vec<&Campaign> =
        CAMPAIGNS.iter().filter(|campaign| name.is_none_or(|name| name == campaign.name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = CAMPAIGNS.iter().map(|campaign| campaign.name).collect();
        bail!("no such campaign; one of: {}", names.join(", "));
    }
    let records = target().join("xtask/campaigns");
    let mut failed = Vec::new();
    for campaign in chosen {
        let found = campaign.run(&records, &mut |row| {
            say(row);
            write_row(&root().join(PAGE), campaign.name, row)
        })?;
        if found > 0 {
            failed.push(campaign.name);
        }
    }
    ensure!(failed.is_empty(), "something was found by: {}", failed.join(", "));
    Ok(())
}

impl Campaign {
    /// Runs it, tells the row of the result page whenever there is one, and gives how much was found.
    fn run(&self, records: &Path, tell: &mut dyn FnMut(&str) -> Result<()>) -> Result<usize> {
        let commit = commit()?;
        let record = match self.by {
            Runner::Step(step) => step()?,
            Runner::Test(package, suite, test) => self.test(records, package, suite, test, None)?,
            Runner::Parts(of, package, suite, test) => {
                let mut parts = CampaignParts::begin(self.name, of)?;
                while let Some(part) = parts.next() {
                    parts.add(self.test(records, package, suite, test, Some(&part))?)?;
                    tell(&self.row(&parts.sum(), &commit))?;
                }
                parts.sum()
            }
        };
        tell(&self.row(&record, &commit))?;
        Ok(list(&record, "found").len())
    }

    /// Runs a test, or a part of it, and gives the record that it leaves.
    fn test(&self, records: &Path, package: &str, suite: &str, test: &str, part: Option<&str>) -> Result<Value> {
        let record = records.join(format!("{}.json", self.name));
        let _ = fs::remove_file(&record);
        let mut tests = command("cargo", &["test", "--release", "--locked", "--quiet", "--package", package]);
        // What is measured are the programs as they are released; the tests of one also run the other.
        if let Some(program) = Program::ALL.into_iter().find(|program| program.name() == package) {
            Program::ALL
                .into_iter()
                .filter(|other| *other != program)
                .try_for_each(|other| run(other.build_release()))?;
            tests.args(["--features", &program.release_features().join(",")]);
        }
        tests.args(["--test", suite, "--", "--include-ignored", "--exact", test]).env("SVC_CAMPAIGN", records);
        if let Some(part) = part {
            tests.env("SVC_CAMPAIGN_PART", part);
        }
        let passed = run(tests).is_ok();
        let record = fs::read(&record).with_context(|| format!("{} left no record", self.name))?;
        let record: Value = serde_json::from_slice(&record)?;
        let found = list(&record, "found").len();
        ensure!(passed == (found == 0), "{}: the test and its record disagree", self.name);
        Ok(record)
    }

    fn row(&self, record: &Value, commit: &str) -> String {
        let text = |member: &str| record.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
        let counts: Vec<String> = list(record, "counts").iter().map(count_in_words).collect();
        let found = list(record, "found");
        let found = match found.first() {
            None => "nothing".to_owned(),
            Some(first) => format!("**{}**, first: {}", found.len(), cell(&first.to_string())),
        };
        let (tried, seed) = (cell(&text("tried")), text("seed"));
        format!("| {} | {tried} | {} | {found} | {commit} | `{seed}` |", self.name, counts.join("; "))
    }
}

fn list<'r>(record: &'r Value, member: &str) -> &'r [Value] {
    record.get(member).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// `["flips", 28000]` as `28,000 flips`.
fn count_in_words(pair: &Value) -> String {
    let what = pair.get(0).and_then(Value::as_str).unwrap_or_default();
    let digits = pair.get(1).and_then(Value::as_u64).unwrap_or_default().to_string();
    let mut count = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            count.push(',');
        }
        count.push(digit);
    }
    cell(&format!("{count} {what}"))
}

/// Text that stays inside its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ").chars().take(500).collect()
}

/// The commit the campaign ran on, and whether the code was changed since.
fn commit() -> Result<String> {
    let git = |arguments: &[&str]| -> Result<String> {
        let output = command("git", arguments).output().context("git is needed to name the commit")?;
        ensure!(output.status.success(), "git: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let hash = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--", "crates", "examples", "sdk", "Cargo.toml", "Cargo.lock"])?;
    Ok(if changed.is_empty() { format!("`{hash}`") } else { format!("`{hash}` and changes") })
}

/// Puts a row into the page; the other rows stay as they are, in the order of the table above.
fn write_row(page: &PathBuf, name: &str, row: &str) -> Result<()> {
    let old = fs::read_to_string(page).unwrap_or_default();
    let mut text = INTRODUCTION.to_owned();
    for campaign in CAMPAIGNS {
        let start = format!("| {} |", campaign.name);
        let line = if campaign.name == name { Some(row) } else { old.lines().find(|line| line.starts_with(&start)) };
        if let Some(line) = line {
            let _ = writeln!(text, "{line}");
        }
    }
    // What follows the table belongs to others.
    text.push_str(old.find(OTHERS).and_then(|at| old.get(at..)).unwrap_or_default());
    fs::write(page, text).with_context(|| format!("cannot write {}", page.display()))
}

#[expect(clippy::print_stdout, reason = "a task talks to its developer")]
fn say(row: &str) {
    println!("{row}");
}
