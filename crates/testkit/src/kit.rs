//! The conformance kit: its tables, its base documents, and the bytes of every case.
//!
//! A row changes a base document by edits, as `conformance/README.md` says. This is the one reader of rows in Rust;
//! `conformance/cases.py` and `sdk/typescript/test/kit.mjs` are those of the other languages.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use serde_json::Value;
use svc_core::words::kind;
use svc_json::canonical;

/// The tables that are about no kind of artifact.
const OTHER_TABLES: [&str; 3] = ["lifecycle", "receipts", "policies"];

/// Base documents and tables, by name.
#[derive(Debug, Default)]
pub struct Kit {
    /// The documents that rows change or copy from, by path below `documents`, without the ending.
    pub documents: BTreeMap<String, Value>,
    /// The rows of each table.
    pub tables: BTreeMap<String, Vec<Value>>,
}

/// The kit as it is committed.
pub fn committed() -> &'static Kit {
    static COMMITTED: LazyLock<Kit> = LazyLock::new(|| Kit::read(&folder()));
    &COMMITTED
}

/// The folder of the kit.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance").canonicalize().unwrap()
}

/// The bytes of a committed case.
pub fn case(table: &str, name: &str) -> Vec<u8> {
    committed().document(committed().row(table, name))
}

/// The names of the committed cases of a table, sorted.
pub fn names(table: &str) -> Vec<String> {
    let mut names: Vec<String> = committed().rows(table).iter().map(|row| name_of(row).to_owned()).collect();
    names.sort();
    names
}

/// What is expected of a committed case.
pub fn expected(table: &str, name: &str) -> &'static Value {
    &committed().row(table, name)["expect"]
}

/// The name of a row.
pub fn name_of(row: &Value) -> &str {
    row["name"].as_str().unwrap()
}

impl Kit {
    /// The kit in a folder.
    pub fn read(folder: &Path) -> Self {
        let parsed = |path: &str| serde_json::from_slice(&fs::read(folder.join(path)).unwrap()).unwrap();
        let mut kit = Self::default();
        for file in json_files(&folder.join("documents")) {
            kit.documents.insert(file.clone(), parsed(&format!("documents/{file}.json")));
        }
        for table in kind::ALL.iter().map(|spec| spec.name).chain(OTHER_TABLES) {
            let Value::Array(rows) = parsed(&format!("{table}.json")) else { panic!("{table}.json is not a list") };
            kit.tables.insert(table.to_owned(), rows);
        }
        kit
    }

    /// The rows of a table.
    pub fn rows(&self, table: &str) -> &[Value] {
        self.tables.get(table).map_or_else(|| panic!("no table {table}"), Vec::as_slice)
    }

    /// A row by its name.
    pub fn row(&self, table: &str, name: &str) -> &Value {
        let named = self.rows(table).iter().find(|row| name_of(row) == name);
        named.unwrap_or_else(|| panic!("no case {table}.json#{name}"))
    }

    /// The bytes of a case.
    pub fn document(&self, row: &Value) -> Vec<u8> {
        let mut bytes = canonical::to_pretty(&self.value(row));
        if let Some([start, end, text]) = row["splice"].as_array().map(Vec::as_slice) {
            let at = |place: &Value| usize::try_from(place.as_u64().unwrap()).unwrap();
            bytes.splice(at(start)..at(end), text.as_str().unwrap().bytes());
        }
        bytes
    }

    /// The value of a case, before anything is spliced into its text.
    pub fn value(&self, row: &Value) -> Value {
        let mut value = self.copy(row["base"].as_str().unwrap()).clone();
        for edit in ["edits", "computed"].iter().flat_map(|list| row[list].as_array().into_iter().flatten()) {
            self.apply(&mut value, edit);
        }
        value
    }

    /// The text of a policy or a checkpoint.
    pub fn text(&self, row: &Value, member: &str) -> String {
        self.made(&row[member]).as_str().unwrap().to_owned()
    }

    /// Changes a value by one edit.
    pub fn apply(&self, value: &mut Value, edit: &Value) {
        let action = ["at", "insert", "remove"].into_iter().find(|action| edit.get(action).is_some()).unwrap();
        let pointer = edit[action].as_str().unwrap();
        let Some((parent, last)) = pointer.rsplit_once('/') else {
            *value = self.made(edit);
            return;
        };
        let parent = value.pointer_mut(parent).unwrap_or_else(|| panic!("nothing at {parent}: {edit}"));
        let index = || last.parse::<usize>().unwrap_or_else(|_| panic!("{last} is not an index: {edit}"));
        match (action, parent) {
            ("at", Value::Object(members)) => _ = members.insert(last.to_owned(), self.made(edit)),
            ("at", Value::Array(elements)) => elements[index()] = self.made(edit),
            ("insert", Value::Array(elements)) => elements.insert(index(), self.made(edit)),
            ("remove", Value::Object(members)) => _ = members.remove(last).unwrap_or_else(|| panic!("{edit}")),
            ("remove", Value::Array(elements)) => _ = elements.remove(index()),
            (_, other) => panic!("{edit} in {other}"),
        }
    }

    /// What a source gives: a text as it is, a value, joined texts, or a copy of a part of a document.
    fn made(&self, source: &Value) -> Value {
        match source {
            Value::Object(members) if members.contains_key("join") => {
                let parts = members["join"].as_array().unwrap().iter();
                parts.map(|part| self.made(part).as_str().unwrap().to_owned()).collect::<String>().into()
            }
            Value::Object(members) if members.contains_key("copy") => {
                self.copy(members["copy"].as_str().unwrap()).clone()
            }
            Value::Object(members) => members["value"].clone(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => source.clone(),
        }
    }

    /// What `DOCUMENT` or `DOCUMENT#POINTER` refers to.
    fn copy(&self, reference: &str) -> &Value {
        let (name, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        let document = self.documents.get(name).unwrap_or_else(|| panic!("no document {name}"));
        document.pointer(pointer).unwrap_or_else(|| panic!("nothing at {reference}"))
    }
}

/// The JSON files below a folder, without the ending, sorted.
fn json_files(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            files.extend(json_files(&entry.path()).into_iter().map(|file| format!("{name}/{file}")));
        } else if let Some(name) = name.strip_suffix(".json") {
            files.push(name.to_owned());
        }
    }
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use svc_json::digest::Digest;

    use super::*;

    /// Prints a line for each text and document of the kit: its name, its digest, and what is expected.
    const EVERY_CASE: &str = "
import hashlib
for table in sorted(KIT.glob('*.json')):
    for row in json.loads(table.read_bytes()):
        for member in ['policy', 'checkpoint'] if 'policy' in row else ['']:
            case = made(row[member]).encode() if member else document(row)
            print(table.stem, row['name'], member, hashlib.sha256(case).hexdigest(), json.dumps(row['expect']), sep='\t')
";

    #[test]
    fn the_reader_that_the_readme_prints_gives_every_case_as_this_one_does() {
        let page = fs::read_to_string(folder().join("README.md")).unwrap();
        let reader = page.split_once("```python\n").unwrap().1.split_once("```").unwrap().0;
        assert_eq!(reader, fs::read_to_string(folder().join("cases.py")).unwrap(), "cases.py is another one");
        assert!(reader.lines().count() <= 40, "{}", reader.lines().count());
        let (module, _) = reader.split_once("if __name__").unwrap();
        let script = format!("{}{EVERY_CASE}", module.replace("Path(__file__)", "Path(sys.argv[1])"));
        let ran = Command::new("python3").args(["-c", &script]).arg(folder().join("cases.py")).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let printed = String::from_utf8(ran.stdout).unwrap();
        for line in printed.lines() {
            let [table, name, member, digest, expect] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let row = committed().row(table, name);
            let bytes = match member {
                "" => committed().document(row),
                _ => committed().text(row, member).into_bytes(),
            };
            assert_eq!(Digest::of(&bytes).hex(), digest, "{table}.json#{name} {member}");
            assert_eq!(row["expect"], serde_json::from_str::<Value>(expect).unwrap(), "{table}.json#{name}");
        }
        let texts = committed().rows("policies").len();
        assert_eq!(printed.lines().count(), texts + committed().tables.values().map(Vec::len).sum::<usize>());
    }
}
