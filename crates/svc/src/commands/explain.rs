//! `svc explain`: what a code, gate, stage, problem or word means, offline.

mod vocabulary;

use std::fmt::Write as _;

use clap::{Arg, ArgMatches, Command};
use serde::Serialize;
use svc_cli::{arguments::text, failure::Failure, output::format::Format};
use svc_core::{
    contract::contracts,
    gates::GateStatuses,
    rules::example_package::BASE,
    verification::FaultCode,
    words::{
        default_ignores::DEFAULT_IGNORES, example::Example, exit_code::ExitCode, gate::Gate, problem_code::ProblemCode,
        rule::Rule, stage::Stage,
    },
};
use svc_json::printable;

use crate::settings::{MEMBERS, Reach};
use svc_cli::rules::rules;

const OUTCOME: &str = "\
outcome: accepted no, signed no, installable no

svc checks a package and prepares evidence. It never accepts, signs or installs anything, and neither does the
registry API: five gates have no word for \"done\". An external package is a validated artifact or a showcase preview.
`svc explain gates` lists the gates and who clears each.
";

const EXAMPLES: &str = "\
examples: what a rule fires on, and what it lets pass

Most examples change the package below, on which no rule fires. Members are put into its manifest, `null` takes one out
(RFC 7396); files are put beside it, `- path` takes one out. `TABLE.json#NAME` is a case of the kit in `conformance/`.
`svc contract ruleset` prints all of it for machines.
";

const IGNORES: &str = "\
default-ignores: what goes into no package by itself

These go in only if `files` names one by its whole path, without a wildcard. `svc app files` tells what becomes of each
file.

";

const SETTINGS: &str = "\
settings: `svc.toml`, read by `svc preflight` and `svc check`

svc reads `svc.toml` in the current folder, and in the folder of each package that it checks. A package's own file can
only make the run stricter: its other members are ignored, and the report says so. The command line takes precedence.
What is denied adds up, and no member loosens a rule. Every path lies beneath the folder of the file.

";

/// The words that are explained beside codes.
const WORDS: [&str; 6] = ["outcome", "gates", "exit-codes", "examples", "default-ignores", "settings"];

pub(crate) fn command() -> Command {
    Command::new("explain")
        .about("Tell what a rule, gate, stage, problem or other word means")
        .arg(Arg::new("topic").value_name("TOPIC").help("A code or word; without one, list everything"))
}

pub(crate) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let Some(topic) = text(arguments, "topic") else { return Ok(everything(format)) };
    let text = explain(topic)?;
    if format != Format::Json {
        return Ok(text);
    }
    Ok(String::from_utf8_lossy(&printable::pretty(&Explained { text: &text, topic })).into_owned())
}

/// A topic in words, for programs that show it.
#[derive(Serialize)]
struct Explained<'a> {
    text: &'a str,
    topic: &'a str,
}

fn explain(topic: &str) -> Result<String, Failure> {
    if let Some(rule) = rules().find(topic) {
        return Ok(explain_rule(rule));
    }
    if let Some(code) = ExitCode::ALL.iter().find(|code| code.code().to_string() == topic) {
        return Ok(format!("exit code {}: {}\n", code.code(), code.meaning()));
    }
    if let Some(gate) = Gate::parse(topic) {
        return Ok(explain_gate(gate));
    }
    if let Some(stage) = Stage::parse(topic) {
        let spec = stage.spec();
        return Ok(format!("stage {stage}: {}\n\n{}\n", spec.label, spec.meaning));
    }
    if let Some(code) = ProblemCode::parse(topic) {
        let spec = code.spec();
        return Ok(format!("problem {code} (HTTP {}): {}\n\n{}\n", spec.status, spec.title, spec.help));
    }
    if let Some(code) = FaultCode::parse(topic) {
        let (exit, title, help) = (code.exit().code(), code.title(), code.help());
        return Ok(format!("fault {code} of svc verify (exit code {exit}): {title}\n\n{help}\n"));
    }
    match topic {
        "outcome" => Ok(OUTCOME.to_owned()),
        "gates" => Ok(Gate::ALL.iter().map(|gate| explain_gate(*gate) + "\n").collect()),
        "exit-codes" => Ok(exit_codes()),
        "examples" => Ok(examples()),
        "default-ignores" => Ok(default_ignores()),
        "settings" => Ok(settings()),
        _ => vocabulary::explain(topic).ok_or_else(|| unknown(topic)),
    }
}

/// Every rule; for machines as the generated rule set.
fn everything(format: Format) -> String {
    if format == Format::Json {
        let ruleset = contracts::find("ruleset").map(|contract| (contract.render)(rules())).unwrap_or_default();
        return String::from_utf8_lossy(&ruleset).into_owned();
    }
    let mut text = String::new();
    for rule in rules().all() {
        let _ = writeln!(text, "{}  {:<8} {}", rule.code, rule.severity.as_str(), rule.title);
    }
    let lists = WORDS.iter().chain(&vocabulary::LISTS).copied().collect::<Vec<_>>().join(", ");
    let _ = writeln!(
        text,
        "\nAlso: {lists}; every gate, stage, permission and artifact; problem codes and faults of `svc verify`."
    );
    text
}

fn explain_rule(rule: &Rule) -> String {
    let mut text = format!("{} ({}): {}\n\n", rule.code, rule.severity, rule.title);
    let _ = writeln!(text, "Why       {}\nFix       {}", rule.why, rule.fix);
    for (name, value) in rule.parameters.iter() {
        if let Ok(value) = serde_json::to_string(value) {
            let _ = writeln!(text, "          {name}: {value}");
        }
    }
    let _ = write!(text, "\nFires on  {}\nPasses    {}\n", shown(rule.fires), shown(rule.passes));
    text
}

fn shown(example: Example) -> String {
    let shown = svc_core::rules::example_text::shown(example);
    let remark = if shown.remark.is_empty() { String::new() } else { format!(" ({})", shown.remark) };
    format!("{} {}{remark}", shown.lead, shown.text).trim_start().to_owned()
}

fn examples() -> String {
    let mut text = format!("{EXAMPLES}\nsvc-app.json, submitted by `{}`\n", BASE.owner);
    for line in BASE.manifest.lines() {
        let _ = writeln!(text, "    {line}");
    }
    text.push_str("\nfiles\n");
    for line in BASE.files.lines() {
        let _ = writeln!(text, "    {line}");
    }
    text
}

fn default_ignores() -> String {
    let mut text = IGNORES.to_owned();
    for row in DEFAULT_IGNORES {
        let _ = writeln!(text, "  {:<24} {}", row.what, row.in_patterns());
    }
    text
}

fn settings() -> String {
    let mut text = SETTINGS.to_owned();
    for member in MEMBERS {
        let _ = writeln!(text, "  {:<32} {}", member.example, member.meaning);
    }
    for reach in Reach::ALL {
        let names = MEMBERS.iter().filter(|member| member.reach == reach).map(|member| member.name);
        let _ = writeln!(text, "\nTakes effect {}:\n  {}", reach.words(), names.collect::<Vec<_>>().join(", "));
    }
    text
}

fn explain_gate(gate: Gate) -> String {
    let spec = gate.spec();
    let word = GateStatuses::<svc_core::gates::Evidenced>::now().word(gate);
    format!(
        "gate {gate}: {word}\n  needs       {}\n  missing     {}\n  cleared by  {}\n",
        spec.evidence, spec.missing, spec.cleared_by
    )
}

fn exit_codes() -> String {
    ExitCode::ALL.iter().map(|code| format!("{:>3}  {}\n", code.code(), code.meaning())).collect()
}

fn unknown(topic: &str) -> Failure {
    let mut topics: Vec<&str> = WORDS.to_vec();
    topics.extend(rules().all().map(|rule| rule.code.as_ref()));
    topics.extend(vocabulary::words());
    topics.extend(Gate::WORDS.iter().chain(Stage::WORDS).chain(ProblemCode::WORDS).chain(FaultCode::WORDS));
    let lists = WORDS.iter().chain(&vocabulary::LISTS).copied().collect::<Vec<_>>().join(", ");
    let list = format!("give the code of a rule, a gate, a stage, a permission, a problem, or one of: {lists}");
    Failure::unknown(format!("there is nothing to explain about `{topic}`"), topic, &topics, list)
}
