//! From checked artifacts to the model of a report.

use svc_cli::scope::Scope;
use svc_core::{bundle::Bundle, closed::False};

use super::{
    chain, changes, file_list, findings, listing, model::ReportModel, package_files::PackageFiles, package_status,
    use_rows,
};

/// The report on a bundle: what is in it, what the folder of its package shows, and what changed since another one.
pub(crate) fn report(bundle: &Bundle, package: Option<PackageFiles>, older: Option<&Bundle>) -> ReportModel {
    let submission = &bundle.submission;
    let uses = use_rows::build(submission);
    ReportModel {
        accepted: False,
        chain: chain::links(bundle),
        difference: older.map(|older| changes::difference(&older.submission, submission)),
        files: file_list::build(submission, package.as_ref()),
        installable: False,
        listing: listing::build(submission, package.as_ref()),
        made_by: Scope::by(),
        not_looked_at: not_looked_at(package.as_ref(), older.is_some(), uses.incomplete),
        signed: False,
        standing: package_status::build(bundle, package.as_ref()),
        uses,
        findings: findings::build(submission, package),
    }
}

fn not_looked_at(package: Option<&PackageFiles>, is_compared: bool, incomplete: bool) -> Vec<String> {
    let mut sentences = Vec::new();
    match package {
        None => sentences.push(
            "The files of the package. They were not looked at: pictures, source lines and what the code does are the \
             word of whoever made the bundle.",
        ),
        Some(_) => sentences.push(
            "What the code in the folder does. Its bytes were compared with the bundle's, file by file; no rule ran on \
             them, and files that the bundle does not name were not looked for. `svc app verify --package` does both.",
        ),
    }
    if incomplete {
        sentences.push("Some code: it could not be read to its end, so more may be used than stands here.");
    }
    sentences.push("Who the publisher is. The name is declared, and nobody checked it.");
    sentences.push("Who made the package and the bundle. No digest shows that: compare with one from the maker.");
    sentences.push("Answers of registries. `svc app verify` checks those that are kept next to a bundle.");
    sentences.push("What code does with an address or a name that it computes while it runs.");
    if !is_compared {
        sentences.push("An older version. `svc app report --against` shows what changed.");
    }
    sentences.into_iter().map(str::to_owned).collect()
}
