//! What SECURITY.md says of connections and ports holds for every command there is, also one that is added.

use std::{collections::BTreeSet, fs};

use crate::{
    bundle::{Bundle, example},
    isolation::{offline_runs, reads_code},
    svc::command_line,
};

/// A row of the table: its commands, whether they neither connect nor listen, and whether they start nothing.
struct Row {
    commands: Vec<String>,
    is_offline: bool,
    starts_nothing: bool,
}

fn rows() -> Vec<Row> {
    let page = fs::read_to_string(example("../SECURITY.md")).unwrap();
    let table = page.lines().skip_while(|line| !line.starts_with("| Command | Connects to |")).skip(2);
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = table.take_while(|line| line.starts_with('|')).map(|line| {
        let cells = cells(line);
        let commands = cells[1].split(", ").map(|name| name.trim_matches('`').to_owned()).collect();
        let says_nothing = |cell: usize| cells[cell] == "nothing";
        Row { commands, is_offline: says_nothing(2) && says_nothing(3), starts_nothing: says_nothing(4) }
    });
    rows.collect()
}

/// Every command that does something, by its whole name.
fn every_command() -> Vec<String> {
    let names = |program: &str, arguments: &[&str]| -> Vec<String> {
        let words: Vec<String> = [&[program], arguments, &["--help"]].concat().into_iter().map(str::to_owned).collect();
        let help = command_line(&words).run().out();
        let is_listed = arguments.is_empty() || help.contains("Commands:\n");
        let list = help.split("Options:\n").next().filter(|_| is_listed).unwrap_or_default();
        let lines = list.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
        let names = lines.filter_map(|line| line.split(' ').next());
        names.filter(|name| !name.is_empty() && *name != "help").map(str::to_owned).collect()
    };
    let of_app = names("svc", &["app"]);
    let mut commands = Vec::new();
    for program in ["svc", "svc-registry"] {
        // What `svc app` has too is the same command under a shorter name.
        let is_short = |name: &String| program == "svc" && name != "verify" && of_app.contains(name);
        for name in names(program, &[]).into_iter().filter(|name| !is_short(name)) {
            let inner = names(program, &[&name]);
            commands.extend(inner.iter().map(|inner| format!("{program} {name} {inner}")));
            if inner.is_empty() {
                commands.push(format!("{program} {name}"));
            }
        }
    }
    commands
}

#[test]
fn every_command_has_its_row_and_those_that_touch_nothing_are_watched() {
    let rows = rows();
    let bundle = Bundle::new();
    let watched: BTreeSet<String> = offline_runs(&bundle).iter().map(|run| run.join(" ")).collect();
    let commands = every_command();
    assert!(commands.len() > 20, "{commands:?}");
    for command in &commands {
        let named = |row: &Row| -> Option<usize> {
            let starts = |name: &&String| command == *name || command.starts_with(&format!("{name} "));
            row.commands.iter().filter(starts).map(String::len).max()
        };
        let row = rows.iter().max_by_key(|row| named(row)).filter(|row| named(row).is_some());
        let row = row.unwrap_or_else(|| panic!("SECURITY.md does not say what `{command}` touches"));
        let is_watched = watched.iter().any(|run| run == command || run.starts_with(&format!("{command} ")));
        assert!(!row.is_offline || is_watched, "`{command}` touches nothing, it says, and no test watches it");
        let words: Vec<String> = format!("{command} svc-app.json").split(' ').map(str::to_owned).collect();
        let starts_readers = command.starts_with("svc app ") && reads_code(&words);
        assert_eq!(row.starts_nothing, !starts_readers, "what SECURITY.md says that `{command}` starts");
    }
    for name in rows.iter().flat_map(|row| &row.commands) {
        let exists = commands.iter().any(|command| command == name || command.starts_with(&format!("{name} ")));
        assert!(exists, "SECURITY.md speaks of `{name}`, which is no command");
    }
}
