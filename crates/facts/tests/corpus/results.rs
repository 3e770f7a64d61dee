//! What came of the cases, and the table that tells it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
};

use svc_core::package::sighting::Seen;

use crate::{
    case::{Case, Side},
    rewrites,
};

pub(crate) struct Outcome {
    pub(crate) case: Case,
    fired: bool,
    pub(crate) seen: BTreeMap<String, Seen>,
}

impl Outcome {
    pub(crate) fn from_case(case: Case) -> Self {
        let looked = case.look();
        Self { fired: looked.fires(&case.rule), seen: looked.seen, case }
    }

    /// A miss or a false alarm.
    pub(crate) fn is_wrong(&self) -> bool {
        self.fired != (self.case.side == Side::Fires)
    }
}

/// What the table stands between.
const BEGIN: &str = "<!-- review corpus: written by the test `corpus` of svc-facts -->\n";
const END: &str = "<!-- end of the review corpus -->\n";

/// Compares the table of a page with what was measured, or writes it.
pub(crate) fn check(page: &Path, outcomes: &[Outcome]) {
    let text = fs::read_to_string(page).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the page has the mark before the table");
    let (held, after) = rest.split_once(END).expect("the page has the mark behind the table");
    let measured = table(outcomes);
    if rewrites() {
        fs::write(page, [before, BEGIN, &measured, END, after].concat()).unwrap();
        return;
    }
    assert_eq!(held, measured, "SVC_REWRITE=1 cargo test -p svc-facts --test corpus writes the table");
}

fn table(outcomes: &[Outcome]) -> String {
    let rules: BTreeSet<&str> = outcomes.iter().map(|outcome| outcome.case.rule.as_str()).collect();
    let mut table = "| rule | fires cases | missed | passes cases | false alarms |\n|---|---|---|---|---|\n".to_owned();
    for rule in rules {
        row(&mut table, rule, outcomes, |outcome| outcome.case.rule == rule);
    }
    row(&mut table, "all", outcomes, |_| true);
    table
}

fn row(table: &mut String, name: &str, outcomes: &[Outcome], is_of: impl Fn(&Outcome) -> bool) {
    let of_side = |side: Side| {
        let cases = outcomes.iter().filter(|outcome| is_of(outcome) && outcome.case.side == side);
        (cases.clone().count(), cases.filter(|outcome| outcome.is_wrong()).count())
    };
    let ((fires, missed), (passes, alarms)) = (of_side(Side::Fires), of_side(Side::Passes));
    writeln!(table, "| {name} | {fires} | {missed} | {passes} | {alarms} |").unwrap();
}
