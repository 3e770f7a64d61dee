//! What is written down: `report.json` with every number, `REPORT.md` for people, and the plots.

use std::{fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, Result};
use serde::Serialize;

use crate::{
    plot::{self, Plot},
    statistics::Sample,
};

/// Which way is good.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    fn holds(self, measured: f64) -> bool {
        match self {
            Self::AtLeast(least) => measured >= least,
            Self::AtMost(most) => measured <= most,
        }
    }

    fn in_words(self) -> String {
        match self {
            Self::AtLeast(least) => format!("≥ {}", number(least)),
            Self::AtMost(most) => format!("≤ {}", number(most)),
        }
    }
}

/// A goal beside what was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub id: &'static str,
    pub what: String,
    pub goal: Bound,
    pub measured: Sample,
}

impl Row {
    fn met(&self) -> bool {
        self.goal.holds(self.measured.median())
    }

    fn standing(&self) -> &'static str {
        if self.met() { "met" } else { "**not met**" }
    }
}

/// One measured thing, in its unit.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    pub name: String,
    pub sample: Sample,
}

/// Numbers that belong together.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    pub title: String,
    pub unit: &'static str,
    pub about: &'static str,
    pub lines: Vec<Line>,
}

/// Everything.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    pub machine: Vec<(&'static str, String)>,
    pub rows: Vec<Row>,
    pub tables: Vec<Table>,
    #[serde(skip)]
    pub plots: Vec<Plot>,
}

impl Report {
    pub fn goal(&mut self, id: &'static str, what: impl Into<String>, goal: Bound, measured: Sample) {
        self.rows.push(Row { id, what: what.into(), goal, measured });
    }

    /// Writes all of it into a folder.
    pub fn write(&mut self, folder: &Path) -> Result<()> {
        self.rows.sort_by_key(|row| row.id.trim_start_matches('P').parse::<u32>().unwrap_or(0));
        fs::create_dir_all(folder)?;
        let put = |name: &str, text: String| {
            fs::write(folder.join(name), text).with_context(|| format!("cannot write {name}"))
        };
        put("report.json", serde_json::to_string_pretty(self)? + "\n")?;
        for plot in &self.plots {
            put(&format!("{}.svg", plot.name), plot::svg(plot))?;
        }
        put("REPORT.md", self.markdown(&fs::read_to_string(folder.join("FINDINGS.md")).unwrap_or_default()))
    }

    fn markdown(&self, findings: &str) -> String {
        let met = self.rows.iter().filter(|row| row.met()).count();
        let mut text = format!(
            "# Speed and scale\n\nWritten by `cargo xtask bench`. Every ratio is taken inside one round, in which svc and \
             what it is compared with run in turn; the table shows the median and the spread of the rounds. {met} of {} \
             rows are met.\n\n",
            self.rows.len()
        );
        for (name, value) in &self.machine {
            let _ = writeln!(text, "- {name}: {value}");
        }
        text += "\n## Goals\n\n| goal | what | wanted | measured | spread | |\n|---|---|---|---|---|---|\n";
        for row in &self.rows {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} |",
                row.id,
                row.what,
                row.goal.in_words(),
                number(row.measured.median()),
                spread(&row.measured),
                row.standing()
            );
        }
        let findings = findings.trim();
        if !findings.is_empty() {
            let _ = writeln!(text, "\n{findings}");
        }
        for plot in &self.plots {
            let _ = writeln!(text, "\n![{}]({}.svg)", plot.title, plot.name);
        }
        for table in &self.tables {
            let _ = writeln!(
                text,
                "\n## {}\n\n{}\n\n| | {} | spread |\n|---|---|---|",
                table.title, table.about, table.unit
            );
            for line in &table.lines {
                let _ =
                    writeln!(text, "| {} | {} | {} |", line.name, number(line.sample.median()), spread(&line.sample));
            }
        }
        text
    }
}

fn spread(sample: &Sample) -> String {
    if sample.0.len() < 2 {
        return String::new();
    }
    format!("{} – {}", number(sample.lowest()), number(sample.highest()))
}

/// Three digits that count.
pub fn number(value: f64) -> String {
    match value.abs() {
        large if large >= 1_000.0 => thousands(value),
        large if large >= 100.0 => format!("{value:.0}"),
        large if large >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The rows that are not met, for the terminal.
pub fn shortfalls(report: &Report) -> Vec<String> {
    let missed = report.rows.iter().filter(|row| !row.met());
    let line = |row: &Row| {
        let measured = number(row.measured.median());
        format!("{} {}: {measured}, wanted {}", row.id, row.what, row.goal.in_words())
    };
    missed.map(line).collect()
}
