//! Every `svc …` and `svc-registry …` that a text names is a command of that program, with flags that its help lists.
//!
//! A mention is what follows the name of the program up to the end of the code span, string, list or line. Where nothing marks a mention as
//! code, it counts when its first word is a command.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::run::{Run, SVC, SVC_REGISTRY, binary, repository};

/// What help says of a command: its subcommands, and the text that lists its flags.
struct Command {
    subcommands: Vec<String>,
    help: String,
}

/// The commands, by their words; `None` where there is no such command.
#[derive(Default)]
struct Commands(BTreeMap<Vec<String>, Option<Command>>);

impl Commands {
    fn get(&mut self, words: &[String]) -> Option<&Command> {
        self.0.entry(words.to_vec()).or_insert_with(|| help_of(words)).as_ref()
    }

    /// What is wrong with a mention; `None` when every word of it resolves.
    fn fault(&mut self, mention: &Mention) -> Option<String> {
        let mut command = vec![mention.program.to_owned()];
        let mut is_value = false;
        for word in &mention.words {
            if std::mem::take(&mut is_value) {
                continue;
            }
            let at = self.get(&command)?;
            if let Some(flag) = flag_in(word) {
                is_value = takes_value(&at.help, flag) && !word.contains('=');
                if mention.is_code && !has_flag(&at.help, flag) {
                    return Some(format!("`{}` has no {flag}", command.join(" ")));
                }
                continue;
            }
            if command.get(1).is_some_and(|first| first == "help") || (command.len() > 1 && at.subcommands.is_empty()) {
                continue;
            }
            if !is_name(word) || (command.len() == 1 && word == "help") {
                return None;
            }
            command.push(word.clone());
            if self.get(&command).is_none() {
                return Some(format!("no `{}`", command.join(" ")));
            }
        }
        None
    }
}

fn help_of(words: &[String]) -> Option<Command> {
    let (program, words) = words.split_first()?;
    let run = Run::of(std::process::Command::new(binary(program)).args(words).arg("--help"));
    if run.code != Some(0) {
        return None;
    }
    // The help of a program has its commands in groups, that of a command in one list.
    let is_listed = words.is_empty() || run.stdout.contains("Commands:\n");
    let listed = run.stdout.split("Options:\n").next().filter(|_| is_listed).unwrap_or_default();
    let names = listed.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let subcommands = names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    Some(Command { subcommands, help: run.stdout })
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_lowercase())
        && !word.ends_with('-')
        && word.chars().all(|each| each.is_ascii_lowercase() || each.is_ascii_digit() || each == '-')
}

/// `--flag` of `--flag=value`, or a short flag.
fn flag_in(word: &str) -> Option<&str> {
    let flag = word.split('=').next().unwrap_or_default();
    let is_long = flag.strip_prefix("--").is_some_and(is_name);
    let is_short = flag.len() == 2 && flag.starts_with('-') && flag != "--";
    (is_long || is_short).then_some(flag)
}

fn takes_value(help: &str, flag: &str) -> bool {
    help.contains(&format!("{flag} <"))
}

fn has_flag(help: &str, flag: &str) -> bool {
    let inside = |at: char| at.is_ascii_alphanumeric() || at == '-';
    help.match_indices(flag)
        .any(|(at, _)| !help[..at].ends_with(inside) && !help[at + flag.len()..].starts_with(inside))
}

/// One `svc …` or `svc-registry …` of a text.
#[derive(Debug)]
struct Mention {
    program: &'static str,
    words: Vec<String>,
    /// Whether quotes, backticks, a prompt or the path of the program mark it as code.
    is_code: bool,
}

/// What may follow the name of the program in a sentence that begins with it, or in a title.
const PROSE: &[&str] = &["asks", "at", "is", "registry", "run", "svc", "the", "too"];

/// The mentions of a text.
fn mentions(text: &str) -> Vec<Mention> {
    let text = joined(text);
    let mut found = Vec::new();
    let at_names = [SVC, SVC_REGISTRY].into_iter().flat_map(|program| {
        let starts = text.match_indices(program).map(|(at, _)| at).collect::<Vec<_>>();
        starts.into_iter().map(move |at| (program, at))
    });
    for (program, at) in at_names {
        let Some(rest) = text[at + program.len()..].strip_prefix(' ') else { continue };
        let before = text[..at].chars().next_back();
        if before.is_some_and(|before| before.is_alphanumeric() || "-_.".contains(before)) {
            continue;
        }
        let path = text[..at].rsplit(char::is_whitespace).next().unwrap_or_default();
        if path.contains("://") {
            continue;
        }
        // A bundle's folder has the name of a program.
        let is_folder = before == Some('/') && program == SVC_REGISTRY && !text[..at].ends_with("bin/");
        if is_folder {
            continue;
        }
        let mark = before.filter(|before| "`\"'/".contains(*before));
        let is_code = mark.is_some() || text[..at].ends_with("$ ");
        let rest = rest.lines().next().unwrap_or_default();
        let ends: &[char] = &['`', '"', '\'', '|', ';', '&', '(', ')', '#', '<', '>', '…', '{', '[', '\\', ','];
        let rest = rest.split(ends).next().unwrap_or_default();
        let rest = rest.split(". ").next().unwrap_or_default().split(": ").next().unwrap_or_default();
        let words: Vec<String> =
            rest.split_whitespace().map(|word| word.trim_end_matches(['.', ':', '?']).to_owned()).collect();
        found.push(Mention { program, words, is_code });
    }
    found
}

/// The text with lines that go on put together, and lists of arguments written as a command line.
fn joined(text: &str) -> String {
    let mut joined = String::new();
    let mut previous = "";
    for line in text.lines() {
        let trimmed = line.trim_start().trim_start_matches("/// ").trim_start_matches("//! ");
        match joined.strip_suffix("\\\n").map(str::len) {
            Some(length) => {
                joined.truncate(length);
                joined.push_str(trimmed);
            }
            None => joined.push_str(line),
        }
        // The image runs svc-registry and a hook svc, so arguments without a command are those of the program that has it.
        if let Some(list) = trimmed.strip_prefix("args: [").filter(|_| !previous.contains("command:")) {
            let operates = ["serve", "token", "journal", "events", "witness"].iter().any(|name| list.starts_with(name));
            let program = if operates { SVC_REGISTRY } else { SVC };
            joined.push_str(&format!("\n$ {program} {}", list.trim_end_matches(']').replace([',', '"'], " ")));
        }
        let is_command = ["CMD ", "ENTRYPOINT ", "command: "].iter().any(|word| trimmed.starts_with(word));
        for program in [SVC, SVC_REGISTRY] {
            let Some((_, list)) = line.split_once(&format!("{program}\", \"")).filter(|_| is_command) else { continue };
            let list = list.split(']').next().unwrap_or_default();
            joined.push_str(&format!("\n$ {program} {}", list.replace("\", \"", " ").replace('"', " ")));
        }
        joined.push('\n');
        previous = line;
    }
    joined
}

/// The files whose texts people read or machines run: sources, documents, settings, workflows, units, scripts. Tests name
/// wrong commands on purpose.
fn files(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) {
    const ENDS: &[&str] =
        &["rs", "ts", "mjs", "md", "yml", "yaml", "toml", "service", "socket", "conf", "sql", "html", "json", "sh"];
    for entry in fs::read_dir(root.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = folder.join(&name);
        if entry.file_type().unwrap().is_dir() {
            let is_left_out = matches!(
                name.as_str(),
                "node_modules" | "target" | "tests" | "test" | "trials" | "harness" | "dist" | ".git"
            ) || path == Path::new("web/bundle");
            if !is_left_out {
                files(root, &path, found);
            }
        } else if path.extension().is_some_and(|end| ENDS.contains(&end.to_str().unwrap())) || path.starts_with(".ci") {
            found.push(path);
        }
    }
}

/// What is wrong with the mentions of a text, and how many there are.
fn faults(text: &str, commands: &mut Commands) -> (usize, Vec<String>) {
    let top = [SVC, SVC_REGISTRY].map(|name| commands.get(&[name.to_owned()]).unwrap().subcommands.clone());
    let is_meant = |mention: &&Mention| {
        let top = if mention.program == SVC { &top[0] } else { &top[1] };
        let [first, second] = [0, 1].map(|at| mention.words.get(at).map_or("", String::as_str));
        let is_command = mention.is_code || top.iter().any(|name| name == first);
        is_command && !PROSE.contains(&first) && (mention.is_code || !PROSE.contains(&second))
    };
    let mentions = mentions(text);
    let meant: Vec<&Mention> = mentions.iter().filter(is_meant).collect();
    (meant.len(), meant.iter().filter_map(|mention| commands.fault(mention)).collect())
}

#[test]
fn every_command_that_a_text_names_exists() {
    let (root, mut paths, mut commands) = (repository(""), Vec::new(), Commands::default());
    files(&root, Path::new(""), &mut paths);
    let (mut count, mut wrong) = (0, Vec::new());
    for path in paths {
        let Ok(text) = fs::read_to_string(root.join(&path)) else { continue };
        let (named, faults) = faults(&text, &mut commands);
        count += named;
        wrong.extend(faults.iter().map(|fault| format!("{}: {fault}", path.display())));
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 800, "only {count} were found");
}

#[test]
fn a_command_that_does_not_exist_is_found_in_every_form() {
    let mut commands = Commands::default();
    for text in [
        "as `svc-registry journal key` prints them",
        "as svc-registry journal key prints them",
        "ExecStart=/usr/local/bin/svc-registry serv --config x",
        "    $ svc app check --no-such-flag\n",
        "    $ svc app \\\n      chek\n",
        "CMD [\"svc-registry\", \"serv\"]",
        "  args: [journal, start]",
        "/// Run `svc app chek`.",
        "\"give it by `svc-registry serve --tokn`\"",
        "`svc app check --formt json`",
        "`svc --format json app check`",
    ] {
        let (named, faults) = faults(text, &mut commands);
        assert!(named >= 1 && faults.len() == 1, "{text}: {named} {faults:?}");
    }
    for text in [
        "svc reads a bundle",
        "`svc app check PACKAGE --format json`",
        "svc check FOLDER",
        "`svc explain SVC-M001`",
        "`svc app`",
        "`svc …`",
        "command: [install]\nargs: [-D]\n",
    ] {
        let (_, faults) = faults(text, &mut commands);
        assert_eq!(faults, [""; 0], "{text}");
    }
}
