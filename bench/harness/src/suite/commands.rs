//! (d) Each command from start to end, beside a Node command line that does the same or less; and the start of services.

use std::{fs, process::Command, time::Instant};

use anyhow::{Result, ensure};

use crate::{
    documents, load,
    mode::Mode,
    programs::{Programs, Server, peak, post, timed},
    report::{Bound, Line, Report, Table},
    statistics::Sample,
};

/// A command of svc: what it reads and writes in the bundle, and what Node does for it.
struct Pair {
    name: &'static str,
    input: &'static str,
    output: Option<&'static str>,
}

const fn derive(name: &'static str, input: &'static str, output: &'static str) -> Pair {
    Pair { name, input, output: Some(output) }
}

const fn validate(name: &'static str, input: &'static str) -> Pair {
    Pair { name, input, output: None }
}

const PAIRS: [Pair; 12] = [
    derive("registry", "submission", "index"),
    validate("registry-validate", "index"),
    derive("registry-acceptance", "submission", "acceptance-request"),
    validate("registry-acceptance-validate", "acceptance-request"),
    derive("registry-publisher-verification", "submission", "publisher-verification"),
    validate("registry-publisher-verification-validate", "publisher-verification"),
    derive("registry-review-evidence", "submission", "review-evidence"),
    validate("registry-review-evidence-validate", "review-evidence"),
    derive("registry-signing-request", "acceptance-request", "signing-request"),
    validate("registry-signing-request-validate", "signing-request"),
    derive("registry-install-policy", "signing-request", "install-policy"),
    validate("registry-install-policy-validate", "install-policy"),
];

const OWNER: [&str; 6] = ["--owner-id", "acme", "--owner-name", "Acme Ltd", "--visibility", "unlisted"];

pub fn measure(mode: &Mode, programs: &Programs, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(format!("svc-registry-{name}.json")).display().to_string();
    let mut rows: Vec<(String, Command, Command)> = Vec::new();
    let mut pack = programs.svc(&["app", "pack", "examples/weather-board/svc-app.json"]);
    pack.args(OWNER).args(["--out", &file("submission")]);
    let node_out = folder.path().join("node.json").display().to_string();
    rows.push(("pack".into(), pack, programs.node("command.mjs", &["pack", "examples/weather-board", &node_out])));
    for pair in &PAIRS {
        let mut ours = programs.svc(&["app", pair.name, &file(pair.input)]);
        let theirs = match pair.output {
            Some(output) => {
                ours.args(["--out", &file(output)]);
                programs.node("command.mjs", &["derive", pair.input, &file(pair.input), &node_out])
            }
            None => programs.node("command.mjs", &["validate", pair.input, &file(pair.input)]),
        };
        rows.push((pair.name.to_owned(), ours, theirs));
    }
    let mut table = Table {
        title: "(d) Commands from start to end".to_owned(),
        unit: "ms",
        about: "The example package. The Node command line has no rules and no strict reader.",
        lines: Vec::new(),
    };
    for (name, mut ours, mut theirs) in rows {
        let (mut fast, mut slow) = (Sample::default(), Sample::default());
        for _ in 0..mode.rounds {
            fast.push(repeated(&mut ours, 10)?);
            slow.push(repeated(&mut theirs, 1)?);
        }
        report.goal("P5", format!("Node over `svc app {name}`"), Bound::AtLeast(70.0), slow.over(&fast));
        table.lines.push(Line { name: format!("svc app {name}"), sample: fast });
        table.lines.push(Line { name: format!("Node for {name}"), sample: slow });
    }
    whole(mode, programs, report, &mut table, &folder.path().join("bundle").display().to_string())?;
    report.tables.push(table);
    starts(mode, programs, report)
}

/// Milliseconds of one run.
fn repeated(command: &mut Command, times: u32) -> Result<f64> {
    let mut whole = 0.0;
    for _ in 0..times {
        whole += timed(again(command))?;
    }
    Ok(whole * 1e3 / f64::from(times))
}

fn again(command: &Command) -> Command {
    let mut copy = Command::new(command.get_program());
    copy.args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        copy.current_dir(folder);
    }
    copy
}

fn whole(mode: &Mode, programs: &Programs, report: &mut Report, table: &mut Table, out: &str) -> Result<()> {
    let mut preflight = programs.svc(&["app", "preflight", "examples/weather-board", "--out-dir", out]);
    preflight.args(OWNER);
    let mut node = Command::new("node");
    node.args(["-e", "0"]);
    let commands = [
        ("svc app preflight", preflight),
        ("node -e 0", node),
        ("svc --version", programs.svc(&["--version"])),
        ("/bin/true", Command::new("/bin/true")),
    ];
    let mut samples = [const { Vec::new() }; 4].map(Sample);
    for _ in 0..mode.rounds {
        for (sample, (name, command)) in samples.iter_mut().zip(&commands) {
            sample.push(repeated(&mut again(command), if *name == "node -e 0" { 2 } else { 20 })?);
        }
    }
    let [preflight, node, ..] = &samples;
    report.goal("P5", "whole preflight over `node -e 0`", Bound::AtMost(0.15), preflight.over(node));
    for ((name, command), sample) in commands.iter().zip(&samples) {
        table.lines.push(Line { name: (*name).to_owned(), sample: sample.clone() });
        if name.starts_with("svc app") {
            let mib = peak(programs, command)? / 1024.0;
            report.goal("P7", format!("MiB that `{name}` takes at most"), Bound::AtMost(64.0), Sample(vec![mib]));
        }
    }
    Ok(())
}

/// From start to the first answer.
fn starts(mode: &Mode, programs: &Programs, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let body = documents::acceptance_request(0)?;
    let first_answer = |command: Command| -> Result<f64> {
        let start = Instant::now();
        let server = Server::start(command, &folder.path().join("log"))?;
        ensure!(post(server.address(), &load::path(), &body)? == 200, "the first answer is not an evaluation");
        Ok(start.elapsed().as_secs_f64() * 1e3)
    };
    let data = folder.path().join("data").display().to_string();
    let mut samples = [const { Vec::new() }; 3].map(Sample);
    for _ in 0..mode.rounds {
        let _ = fs::remove_dir_all(&data);
        let values = [
            first_answer(programs.serve(&["--journal", "off"]))?,
            first_answer(programs.serve(&["--journal", "sqlite", "--data-dir", &data]))?,
            first_answer(programs.node("server.mjs", &["1"]))?,
        ];
        for (sample, value) in samples.iter_mut().zip(values) {
            sample.push(value);
        }
    }
    let [off, sqlite, node] = &samples;
    let what = "start to first answer: Node over svc, both without a journal";
    report.goal("P10", what, Bound::AtLeast(12.0), node.over(off));
    let what = "start to first answer: Node without a journal over svc with a new SQLite journal";
    report.goal("P10", what, Bound::AtLeast(12.0), node.over(sqlite));
    let names = ["svc, journal off", "svc, new SQLite journal", "Node, one process"];
    report.tables.push(Table {
        title: "From start to the first answer".to_owned(),
        unit: "ms",
        about: "svc asks itself all six routes, with good and tampered documents, before it opens its door.",
        lines: names.iter().zip(samples).map(|(name, sample)| Line { name: (*name).to_owned(), sample }).collect(),
    });
    Ok(())
}
