//! The project's own tasks, run as `cargo xtask TASK`.

mod bench;
mod budget;
mod campaign;
mod campaign_record;
mod circles;
mod conformance;
mod contracts;
mod exchanges;
mod generate;
mod judge;
mod kit_rules;
mod liars;
mod lived_log;
#[cfg(test)]
mod prose;
mod reference;
mod reference_journal;
mod reference_scale;
mod refused_characters;
mod sdk;
mod signed;
mod size;
mod sources;
mod suites;
mod tables;
mod test;
mod tree;
mod vector_texts;
mod vectors;

use anyhow::{Result, bail};
use svc_gates::debian;

use crate::bench::Measure;

const USAGE: &str = "\
cargo xtask generate [--check]   write contracts/, conformance/, deploy/nginx/ and docs/reference/, or fail when they are stale
cargo xtask test [STEP…]         what every change must pass: format circles lints generated tests typescript
cargo xtask gates [NAME…]        what must pass besides: packages ignored allocator budget; other names choose from the ignored tests
cargo xtask packages             the packages of Debian that the gates need, for `apt-get install`
cargo xtask size                 lines by crate, files, words of documents, shared type names, times of the last run
cargo xtask campaign [NAME]      the full-count campaigns, with the result page assurance/README.md
cargo xtask bench [--quick]      the benchmark beside its references, with the report bench/REPORT.md
cargo xtask bench SECTION        one section of it, into the folder of built things
cargo xtask budget               record what the fixed pieces of work cost now, in bench/budget.json
cargo xtask projects             record what `svc init` makes of real projects, in docs/real-projects.md";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["generate"] => generate::run(generate::Mode::Write),
        ["generate", "--check"] => generate::run(generate::Mode::Check),
        ["packages"] => debian::print_packages(),
        ["judge"] => judge::run(),
        ["liars"] => liars::run(),
        ["lived-log", folder] => lived_log::make(folder),
        ["test", steps @ ..] => test::TEST.run(steps),
        ["gates", names @ ..] => test::Task::run_gates(names),
        ["campaign"] => campaign::run_campaigns(None),
        ["campaign", name] => campaign::run_campaigns(Some(name)),
        ["bench"] => bench::measure(Measure::Full),
        ["bench", "--quick"] => bench::measure(Measure::Quick),
        ["bench", section] => bench::measure(Measure::Section(section)),
        ["size"] => size::print(),
        ["budget"] => budget::record(),
        ["projects"] => suites::record("projects_are_begun_by_init"),
        _ => bail!("{USAGE}"),
    }
}
