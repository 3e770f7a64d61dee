//! `cargo xtask campaign`: the full-count runs of what the tests run in slices.
//!
//! The tests themselves do most of the work. This task tells them to use the full counts, collects
//! the record that each leaves, and writes the page `assurance/README.md`.

use std::{fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use svc_gates::{
    process::{command, root, run, say, target},
    programs::Program,
};

use crate::{campaign_record::CampaignRecord, sdk};

/// A campaign: its name, in how many parts it runs, and what runs it.
struct Campaign {
    name: &'static str,
    parts: usize,
    by: Runner,
}

/// What runs a campaign.
enum Runner {
    /// A test: its package, its suite and its name. It leaves its record in the folder that it is told.
    Test(&'static str, &'static str, &'static str),
    /// A step of this program, which gives its record.
    Step(fn() -> Result<Value>),
}

const fn of_test(name: &'static str, package: &'static str, suite: &'static str, test: &'static str) -> Campaign {
    Campaign { name, parts: 1, by: Runner::Test(package, suite, test) }
}

const fn of_binary(name: &'static str, test: &'static str) -> Campaign {
    of_test(name, "svc", "binary", test)
}

const fn of_server(name: &'static str, test: &'static str) -> Campaign {
    of_test(name, "svc-server", "suite", test)
}

const fn of_service(name: &'static str, test: &'static str) -> Campaign {
    of_test(name, "svc-registry", "serve", test)
}

const fn of_burden(name: &'static str, test: &'static str) -> Campaign {
    of_test(name, "svc-registry", "burden", test)
}

/// These take long, and run in parts.
const fn of_journal(name: &'static str, parts: usize, test: &'static str) -> Campaign {
    Campaign { name, parts, by: Runner::Test("svc-registry", "journal", test) }
}

const fn of_gate(name: &'static str, test: &'static str) -> Campaign {
    of_test(name, "svc-gates", "gates", test)
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
        parts: 20,
        by: Runner::Test(
            "svc-journal",
            "suite",
            "returning_primary::in_every_order_of_nodes_and_databases_one_history_is_signed",
        ),
    },
    of_gate("operations", "campaign_operations"),
    of_gate("model", "campaign_model"),
    of_test("parsers", "svc-facts", "fuzz", "no_file_breaks_a_parser"),
    of_gate("real-packages", "campaign_real_packages"),
    of_gate("reproducible", "campaign_reproducible"),
    of_gate("requests", "campaign_requests"),
    Campaign { name: "differential", parts: 1, by: Runner::Step(sdk::campaign) },
];

const PAGE: &str = "assurance/README.md";

/// How many counts the page shows; the records have all of them.
const MOST_COUNTS: usize = 3;

const INTRODUCTION: &str = "\
# Assurance

What was attacked, how often, on which commit, and what was found. `cargo xtask campaign [NAME]` runs the campaigns against
the release build and rewrites this page; `cargo xtask test` and `cargo xtask gates` run a slice of each. All counts, and the seed that
gives the same cases again, are in [campaigns.json](campaigns.json); the moments of kills and writers also depend on the machine. A campaign
that was cut short goes on where it was, as long as the code is the same.

What outsiders tried with the programs and the guides alone is in [trials](trials), what the model of the journal covers in
[../models](../models), and what the rules of a review tell of small packages in [../tests/review](../tests/review).

| campaign | what is tried | how often | found | commit |
|---|---|---|---|---|
";

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
        if campaign.run(&records)? > 0 {
            failed.push(campaign.name);
        }
    }
    ensure!(failed.is_empty(), "something was found by: {}", failed.join(", "));
    Ok(())
}

impl Campaign {
    /// Runs it, writes the page after each part, and gives how much was found.
    fn run(&self, records: &Path) -> Result<usize> {
        let mut kept = CampaignRecord::begin(self.name, self.parts)?;
        while let Some(part) = kept.next() {
            let record = match self.by {
                Runner::Step(step) => step()?,
                Runner::Test(package, suite, test) => self.test(records, package, suite, test, &part)?,
            };
            kept.add(record)?;
            let row = self.row(&kept);
            say(&row);
            write_page()?;
        }
        Ok(list(&kept.sum(), "found").len())
    }

    /// Runs a test, or a part of it, and gives the record that it leaves.
    fn test(&self, records: &Path, package: &str, suite: &str, test: &str, part: &str) -> Result<Value> {
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
        if self.parts > 1 {
            tests.env("SVC_CAMPAIGN_PART", part);
        }
        let passed = run(tests).is_ok();
        let record = fs::read(&record).with_context(|| format!("{} left no record", self.name))?;
        let record: Value = serde_json::from_slice(&record)?;
        let found = list(&record, "found").len();
        ensure!(passed == (found == 0), "{}: the test and its record disagree", self.name);
        Ok(record)
    }

    fn row(&self, kept: &CampaignRecord) -> String {
        let record = kept.sum();
        let counts = list(&record, "counts");
        let mut shown: Vec<String> = counts.iter().take(MOST_COUNTS).map(count_in_words).collect();
        if counts.len() > MOST_COUNTS {
            shown.push("…".to_owned());
        }
        let found = list(&record, "found");
        let found = match found.first() {
            None => "nothing".to_owned(),
            Some(first) => format!("**{}**, first: {}", found.len(), cell(&first.to_string())),
        };
        let tried = record.get("tried").and_then(Value::as_str).unwrap_or_default();
        let name = self.name;
        format!("| {name} | {} | {} | {found} | `{}` |", cell(tried), shown.join("; "), kept.commit)
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

/// A row for each campaign that has a record, in the order of the table above.
fn write_page() -> Result<()> {
    let mut text = INTRODUCTION.to_owned();
    for campaign in CAMPAIGNS {
        if let Some(kept) = CampaignRecord::read(campaign.name) {
            let _ = writeln!(text, "{}", campaign.row(&kept));
        }
    }
    fs::write(root().join(PAGE), text).with_context(|| format!("cannot write {PAGE}"))
}
