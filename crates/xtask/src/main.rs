//! The project's own tasks, run as `cargo xtask TASK`.

mod alerts;
mod api_description;
mod bench;
mod budget;
mod bundle_cases;
mod campaign;
mod campaign_record;
mod certificate;
mod conformance;
mod contracts;
mod debian;
mod deploy;
mod dist;
mod exchanges;
mod exports;
mod generate;
mod getting;
mod glibc;
mod hand_over_cases;
mod image;
mod imports;
mod index_cases;
mod journal_database;
mod journal_model;
mod journal_readers;
mod judge;
mod kit_rules;
mod liars;
mod lifecycle_cases;
mod lived_log;
mod mounts;
mod nginx;
mod nginx_problems;
mod npm_package;
mod policies;
mod process;
mod programs;
mod projects;
#[cfg(test)]
mod prose;
#[cfg(test)]
mod public_names;
mod readiness;
mod real_packages;
mod receipts;
mod receivers;
mod reference;
mod reference_journal;
mod reference_scale;
mod refused_characters;
mod reproducible;
mod sbom;
mod sdk;
mod service;
mod sources;
mod suites;
mod supply_chain;
mod tarball;
mod test;
mod tree;
mod vector_texts;
mod vectors;
mod webhooks;

use anyhow::{Result, bail};

use crate::bench::Measure;

const USAGE: &str = "\
cargo xtask generate [--check]   write contracts/, conformance/, deploy/nginx/ and docs/reference/, or fail when they are stale
cargo xtask test [STEP…]         what every change must pass: format circles generated tests typescript
cargo xtask gates [STEP…]        what must pass besides: packages lints readiness lies getting mounts alerts deploy allocator chromium receivers exports webhooks projects api-description postgresql model journal-readers supply-chain budget
cargo xtask packages             the packages of Debian that the gates need, for `apt-get install`
cargo xtask dist [--debug]       write the release archive and the npm package to target/dist/
cargo xtask image [--debug]      write an image for container engines to target/image/
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
        ["gates", steps @ ..] => test::GATES.run(steps),
        ["dist"] => dist::make(dist::Profile::Release),
        ["dist", "--debug"] => dist::make(dist::Profile::Debug),
        ["image"] => image::make(dist::Profile::Release),
        ["image", "--debug"] => image::make(dist::Profile::Debug),
        ["campaign"] => campaign::run_campaigns(None),
        ["campaign", name] => campaign::run_campaigns(Some(name)),
        ["bench"] => bench::measure(Measure::Full),
        ["bench", "--quick"] => bench::measure(Measure::Quick),
        ["bench", section] => bench::measure(Measure::Section(section)),
        ["budget"] => budget::record(),
        ["projects"] => projects::record(),
        _ => bail!("{USAGE}"),
    }
}
