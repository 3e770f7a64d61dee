//! `--format F[=FILE]`: which words, and where they go.

use std::{ffi::OsString, path::PathBuf};

use clap::{Arg, ArgMatches, builder::PossibleValuesParser};

use crate::{arguments::text, failure::Failure};

macro_rules! formats {
    ($($(#[$meta:meta])* $variant:ident = $word:literal,)+) => {
        /// How a report is put into words.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format {
            $($(#[$meta])* $variant,)+
        }

        impl Format {
            pub const WORDS: &'static [&'static str] = &[$($word,)+];

            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            pub fn parse(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

formats! {
    /// Carets and sentences.
    Human = "human",
    /// One line a finding.
    Concise = "concise",
    /// `svc.diagnostics/v1`.
    Json = "json",
    /// SARIF 2.1.0.
    Sarif = "sarif",
    /// JUnit XML.
    Junit = "junit",
    /// Annotations and a step summary.
    Github = "github",
}

impl Format {
    /// The file that a report of this format goes to, where only the format was asked for.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Human => "svc.txt",
            Self::Concise => "svc.concise.txt",
            Self::Json => "svc.json",
            Self::Sarif => "svc.sarif",
            Self::Junit => "svc.junit.xml",
            Self::Github => "svc.github.txt",
        }
    }
}

/// A format and the file it goes to; without one it goes to the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub format: Format,
    pub file: Option<PathBuf>,
}

impl Target {
    fn terminal(format: Format) -> Self {
        Self { format, file: None }
    }

    fn parse(text: &str) -> Result<Self, Failure> {
        let (word, file) = match text.split_once('=') {
            Some((_, "")) => {
                return Err(Failure::usage(
                    "`--format` must have a file name after `=`",
                    "give --format F=FILE, or leave `=` out",
                ));
            }
            Some((word, file)) => (word, Some(PathBuf::from(file))),
            None => (text, None),
        };
        match Format::parse(word) {
            Some(format) => Ok(Self { format, file }),
            None => {
                let list = format!("give one of: {}; add =FILE to write it to a file", Format::WORDS.join(", "));
                Err(Failure::unknown(format!("there is no format `{word}`"), word, Format::WORDS, list))
            }
        }
    }
}

/// All targets of a run. The terminal gets exactly one format, people's unless another was asked for.
pub fn targets<'t>(given: impl Iterator<Item = &'t str>) -> Result<Vec<Target>, Failure> {
    let mut targets = given.map(Target::parse).collect::<Result<Vec<_>, _>>()?;
    match targets.iter().filter(|target| target.file.is_none()).count() {
        0 => targets.insert(0, Target::terminal(Format::Human)),
        1 => {}
        _ => {
            return Err(Failure::usage(
                "only one `--format` may go to the terminal, and there are several without a file",
                "give all but one of them a file, as --format F=FILE",
            ));
        }
    }
    Ok(targets)
}

/// The terminal's format when the arguments could not be read: the first that stands among them, else people's.
pub fn named_among(arguments: impl Iterator<Item = OsString>) -> Target {
    let mut words = arguments.filter_map(|argument| argument.into_string().ok());
    while let Some(word) = words.next() {
        let named = match word.strip_prefix("--format=") {
            Some(named) => Format::parse(named),
            None if word == "--format" => words.next().and_then(|named| Format::parse(&named)),
            None => None,
        };
        if let Some(format) = named {
            return Target::terminal(format);
        }
    }
    Target::terminal(Format::Human)
}

pub fn of_terminal(targets: &[Target]) -> Format {
    targets.iter().find(|target| target.file.is_none()).map_or(Format::Human, |target| target.format)
}

/// `--format` of a command that prints a result in words or as JSON.
#[must_use]
pub fn of_result_argument() -> Arg {
    let words = PossibleValuesParser::new([Format::Human.word(), Format::Json.word()]);
    Arg::new("format")
        .long("format")
        .value_name("FORMAT")
        .value_parser(words)
        .help("The format of the result [default: human]")
}

/// The format of such a command.
#[must_use]
pub fn of_result(arguments: &ArgMatches) -> Format {
    text(arguments, "format").and_then(Format::parse).unwrap_or(Format::Human)
}
