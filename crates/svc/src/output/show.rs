//! From a report to the streams and files it goes to.

use svc_cli::{
    failure::Failure,
    files::write::write_atomic,
    output::{
        escape::Safe,
        format::{Format, Target, of_terminal},
        stop,
        stream::{self, TerminalStyle},
    },
};
use svc_core::words::exit_code::ExitCode;
use svc_verify::check::Verification;

use super::show_verification;
use super::{concise, github, human, json, junit, sarif};
use crate::report::RunReport;

/// What a command hands over to be shown.
pub(crate) enum CommandOutput {
    /// A report, in whatever format was asked for.
    Report(RunReport),
    /// A text that is the result as it is, also when it is empty, and a report of what was wrong on the way.
    Text(RunReport, String),
    /// A text about what was done, which a quiet run leaves out.
    Told(RunReport, String),
    /// A report that people read on the terminal as this text, and beside it only what fails the run.
    Compared(RunReport, String),
    /// A result in words and as JSON, each with everything. Other formats were refused before.
    InFull {
        human: String,
        json: Vec<u8>,
    },
    /// Nothing more: everything was told while it ran.
    Ended(ExitCode),
    Verification(Box<Verification>),
}

/// Shows a result everywhere it is wanted.
pub(crate) fn output(output: CommandOutput, targets: &[Target], style: TerminalStyle) -> Result<ExitCode, Failure> {
    let is_compared = matches!(output, CommandOutput::Compared(..));
    let (mut report, text) = match output {
        CommandOutput::Report(report) => (report, None),
        CommandOutput::Text(report, text) => (report, Some(text)),
        CommandOutput::Compared(report, _) if of_terminal(targets) != Format::Human => (report, None),
        CommandOutput::Told(report, text) | CommandOutput::Compared(report, text) => {
            let is_left_out = style.quiet && of_terminal(targets) == Format::Human;
            (report, Some(if is_left_out { String::new() } else { text }))
        }
        CommandOutput::InFull { human, json } => return in_full(human.as_bytes(), &json, targets, style),
        CommandOutput::Ended(exit) => return Ok(exit),
        CommandOutput::Verification(verification) => return show_verification::output(&verification, targets, style),
    };
    let exit = report.exit_code();
    for target in targets.iter() {
        if let Some(file) = &target.file {
            let written = write_atomic(file, &words(&report, target.format));
            let failed = |error| Failure::writing(&file.to_string_lossy(), &error).beside(exit);
            written.map_err(failed)?;
        }
    }
    if targets.iter().any(|target| target.format == Format::Github) {
        github::append_step_summary(&github::summary(&report));
    }
    let format = of_terminal(targets);
    let is_short = style.quiet && matches!(format, Format::Human | Format::Concise | Format::Github);
    if is_short || (is_compared && format == Format::Human) {
        report.keep_failing();
    }
    // A file that came with somebody else's package does nothing unseen, also where the report has no place for it.
    if format != Format::Human && !style.quiet {
        for settings in &report.settings {
            stream::status(&format!("settings: {}\n", Safe(&settings.in_words())));
        }
    }
    on_terminal(&report, text.as_deref(), format, style).map_err(|failure| failure.beside(exit))?;
    Ok(exit)
}

fn in_full(human: &[u8], json: &[u8], targets: &[Target], style: TerminalStyle) -> Result<ExitCode, Failure> {
    for target in targets {
        let words = match target.format {
            Format::Human => human,
            Format::Json => json,
            format @ (Format::Concise | Format::Sarif | Format::Junit | Format::Github) => {
                let message = format!("this result has no format `{}`", format.word());
                return Err(Failure::usage(message, "give one of: human, json"));
            }
        };
        match &target.file {
            Some(file) => {
                let written = write_atomic(file, words);
                written.map_err(|error| Failure::writing(&file.to_string_lossy(), &error))?;
            }
            None if style.quiet && target.format == Format::Human => {}
            None => stream::result(words)?,
        }
    }
    Ok(ExitCode::Valid)
}

/// Shows a stop everywhere a report was wanted.
pub(crate) fn failure(failure: &Failure, targets: &[Target]) -> ExitCode {
    let render = |format| match format {
        Format::Human | Format::Concise => stop::in_words(failure).into_bytes(),
        Format::Json => stop::json(failure),
        Format::Sarif => sarif::render_failure(failure),
        Format::Junit => junit::render_failure(failure).into_bytes(),
        Format::Github => github::failure(failure).into_bytes(),
    };
    for target in targets {
        // Whatever cannot be told any more was the failure itself.
        let _ = match (&target.file, target.format) {
            (Some(file), format) => write_atomic(file, &render(format)).map(|_| ()).map_err(|_| ()),
            (None, Format::Human | Format::Concise) => {
                stream::status(&String::from_utf8_lossy(&render(target.format)));
                Ok(())
            }
            (None, format) => stream::result(&render(format)).map_err(|_| {
                // Where standard output does not take it, people are told at least.
                stream::status(&stop::in_words(failure));
            }),
        };
    }
    failure.exit
}

fn on_terminal(report: &RunReport, text: Option<&str>, format: Format, style: TerminalStyle) -> Result<(), Failure> {
    if format == Format::Human {
        stream::status(&human::findings(report, style.color.on_stderr()));
    }
    if let Some(text) = text {
        let scope = if format == Format::Human && !text.is_empty() { report.scope.in_lines() } else { String::new() };
        return stream::result(format!("{text}{scope}").as_bytes());
    }
    let words = match format {
        Format::Human if style.quiet => Vec::new(),
        Format::Human => human::result(report).into_bytes(),
        Format::Concise | Format::Json | Format::Sarif | Format::Junit | Format::Github => words(report, format),
    };
    match &report.payload {
        Some(payload) => {
            stream::status(&String::from_utf8_lossy(&words));
            stream::result(payload)
        }
        None => stream::result(&words),
    }
}

fn words(report: &RunReport, format: Format) -> Vec<u8> {
    match format {
        Format::Human => (human::findings(report, false) + &human::result(report)).into_bytes(),
        Format::Concise => concise::render(report).into_bytes(),
        Format::Json => json::render(report),
        Format::Sarif => sarif::render(report),
        Format::Junit => junit::render(report).into_bytes(),
        Format::Github => github::annotations(report).into_bytes(),
    }
}
