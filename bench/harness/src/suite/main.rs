//! The benchmark: `suite quick|full PROGRAMS ROOT OUT [SECTION]`. `cargo xtask bench` builds everything and runs it.

mod commands;
mod documents;
mod evaluation;
mod http;
mod journal;
mod load;
mod long_log;
mod machine;
mod memory;
mod mixed;
mod mode;
mod pack;
mod plot;
mod programs;
mod report;
mod review;
mod statistics;

use std::{path::Path, time::Instant};

use anyhow::{Context as _, Result, bail};
// The allocator of the product, also for what is measured in-process.
#[cfg(feature = "allocator")]
use svc_allocator as _;

use mode::{MODES, Mode};
use programs::Programs;
use report::Report;

type Section = (&'static str, fn(&Mode, &Programs, &mut Report) -> Result<()>);

const SECTIONS: [Section; 9] = [
    ("evaluation", |mode, _, report| evaluation::measure(mode, report)),
    ("http", http::measure),
    ("mixed", mixed::measure),
    ("pack", pack::measure),
    ("commands", commands::measure),
    ("journal", |mode, _, report| journal::measure(mode, report)),
    ("memory", memory::measure),
    ("review", review::measure),
    ("long-log", long_log::measure),
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some((first, command)) = arguments.split_first()
        && first == "peak"
    {
        return programs::meter(command);
    }
    let (mode, built, root, out, only) = match arguments.as_slice() {
        [mode, built, root, out] => (mode, built, root, out, None),
        [mode, built, root, out, only] => (mode, built, root, out, Some(only.as_str())),
        _ => bail!("suite quick|full PROGRAMS ROOT OUT [SECTION]"),
    };
    let mode = MODES.iter().find(|there| there.name == mode).context("quick or full")?;
    let programs = Programs::find(built, root)?;
    let mut report = Report { machine: machine::describe(&programs, mode.name), ..Report::default() };
    for (name, measure) in SECTIONS.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
        let start = Instant::now();
        measure(mode, &programs, &mut report).with_context(|| format!("section {name}"))?;
        println!("{name}: measured in {} s", start.elapsed().as_secs());
    }
    report.write(Path::new(out))?;
    for line in report::shortfalls(&report) {
        println!("not met: {line}");
    }
    Ok(())
}
