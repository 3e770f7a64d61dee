//! The gate `budget`: what fixed pieces of work cost, counted and held to what was recorded. Never by time.
//!
//! Instructions are counted by callgrind and allocations by the program itself. Both are the same in every run of one
//! build; the slack is for other compilers and processors.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::bench;
use svc_gates::{
    debian,
    process::{command, root, say},
};

const FILE: &str = "bench/budget.json";

/// By how much a count may be above the recorded one.
const SLACK: f64 = 1.03;

/// A preflight seals each of its seven files twice: when it is made, and when it is read back.
const PREFLIGHT_SEALS: u64 = 14;

/// It reads the manifest twice and each file once.
const PREFLIGHT_READS: u64 = 14;

/// By how much a count must be below it before the record should follow.
const GAIN: f64 = 0.90;

/// What one piece of work costs.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
struct Cost {
    allocated_bytes: u64,
    allocations: u64,
    instructions: u64,
    /// Deciding and explaining reads of documents.
    reads: u64,
    /// How often an artifact was checked in full.
    seals: u64,
}

type Costs = BTreeMap<String, Cost>;

impl Cost {
    fn parts(&self) -> [(&'static str, u64); 5] {
        [
            ("instructions", self.instructions),
            ("allocations", self.allocations),
            ("allocated bytes", self.allocated_bytes),
            ("strict reads", self.reads),
            ("seals", self.seals),
        ]
    }
}

/// Counts, and compares with the record.
pub(crate) fn check() -> Result<()> {
    let recorded: Costs = serde_json::from_slice(&fs::read(root().join(FILE)).context(FILE)?)?;
    let counted = count()?;
    let seals = counted.get("preflight").map(|cost| cost.seals);
    ensure!(seals.is_some_and(|seals| seals <= PREFLIGHT_SEALS), "a preflight has {seals:?} seals");
    let reads = counted.get("preflight").map(|cost| cost.reads);
    ensure!(reads.is_some_and(|reads| reads <= PREFLIGHT_READS), "a preflight has {reads:?} strict reads");
    ensure!(counted.keys().eq(recorded.keys()), "{FILE} has other pieces of work; run `cargo xtask budget`");
    let (over, under) = compare(&recorded, &counted);
    if !over.is_empty() {
        bail!("over the budget; if that is meant, run `cargo xtask budget` and say why in the commit\n{over}");
    }
    if !under.is_empty() {
        say(&format!("well below the budget; `cargo xtask budget` makes that the new one\n{under}"));
    }
    Ok(())
}

/// Counts, and records.
pub(crate) fn record() -> Result<()> {
    let text = serde_json::to_string_pretty(&count()?)? + "\n";
    fs::write(root().join(FILE), text).context(FILE)
}

fn compare(recorded: &Costs, counted: &Costs) -> (String, String) {
    let (mut over, mut under) = (String::new(), String::new());
    for ((name, old), new) in recorded.iter().zip(counted.values()) {
        for ((what, old), (_, new)) in old.parts().into_iter().zip(new.parts()) {
            let ratio = if old == 0 { 1.0 + new as f64 } else { new as f64 / old as f64 };
            let line = format!("  {name}: {new} {what}, {:+.1} % of the recorded {old}", (ratio - 1.0) * 100.0);
            if ratio > SLACK {
                let _ = writeln!(over, "{line}");
            } else if ratio < GAIN {
                let _ = writeln!(under, "{line}");
            }
        }
    }
    (over, under)
}

fn count() -> Result<Costs> {
    debian::require("valgrind", || debian::on_path("valgrind"))?;
    let program = bench::build(&["--no-default-features", "--features", "counts", "--bin", "count"])?.join("count");
    let names = command(&program.display().to_string(), &["names"]).output()?;
    let names = String::from_utf8(names.stdout)?;
    names.lines().map(|name| Ok((name.to_owned(), cost(&program, name)?))).collect()
}

/// The difference between one round and three, so that neither the start nor the making of the input counts.
fn cost(program: &Path, name: &str) -> Result<Cost> {
    let (one, _) = counted(program, name, 1)?;
    let (three, memory) = counted(program, name, 3)?;
    let mut numbers = memory.split_whitespace().map(str::parse::<u64>);
    let mut next = || -> Result<u64> {
        numbers.next().with_context(|| format!("{name}: too few counts in {memory:?}"))?.map_err(Into::into)
    };
    let (allocations, allocated_bytes, seals, reads) = (next()?, next()?, next()?, next()?);
    Ok(Cost { allocated_bytes, allocations, instructions: (three - one) / 2, reads, seals })
}

/// Instructions in all, and what the program printed.
fn counted(program: &Path, name: &str, rounds: u32) -> Result<(u64, String)> {
    let mut valgrind = command("valgrind", &["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.arg(program).args([name, &rounds.to_string()]);
    let output = valgrind.output().context("valgrind")?;
    let log = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name}: {log}");
    let collected = log.lines().find_map(|line| line.split("Collected : ").nth(1));
    let instructions = collected.and_then(|count| count.trim().parse().ok());
    Ok((instructions.with_context(|| format!("{name}: no count in {log}"))?, String::from_utf8(output.stdout)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_above_its_record_is_named_with_both_numbers() {
        let costs = |instructions: u64| {
            Costs::from([(
                "evaluate".to_owned(),
                Cost { allocated_bytes: 10, allocations: 1, instructions, reads: 1, seals: 1 },
            )])
        };
        let (over, under) = compare(&costs(1000), &costs(1040));
        assert_eq!(over, "  evaluate: 1040 instructions, +4.0 % of the recorded 1000\n");
        assert_eq!(under, "");
        assert_eq!(compare(&costs(1000), &costs(1020)), (String::new(), String::new()));
        assert!(compare(&costs(1000), &costs(800)).1.contains("-20.0 %"));
    }
}
