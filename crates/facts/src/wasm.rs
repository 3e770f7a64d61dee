//! WebAssembly modules and components.

use svc_core::{
    package::{
        fact_table::{UNREAD_SYNTAX, WASM_IMPORT, WASM_MODULE},
        sighting::Seen,
    },
    scalar::subject::Subject,
};
use wasmparser::{
    BinaryReaderError, ComponentImportSectionReader, FromReader, FunctionBody, ImportSectionReader, Imports, Parser,
    Payload, SectionLimited,
};

use crate::{language::WASM_MAGIC, notes::Notes};

/// What a module tells. It is read to its end, so that one that was cut or padded is noticed.
pub(crate) fn read(bytes: &[u8]) -> Seen {
    let mut notes = Notes::default();
    if bytes.starts_with(WASM_MAGIC) {
        notes.note_whole(&WASM_MODULE);
    }
    if read_module(bytes, &mut notes).is_err() {
        notes.note_whole(&UNREAD_SYNTAX);
    }
    notes.finish("")
}

fn read_module(bytes: &[u8], notes: &mut Notes) -> Result<(), BinaryReaderError> {
    for payload in Parser::new(0).parse_all(bytes) {
        read_section(payload?, notes)?;
    }
    Ok(())
}

/// Reads every item of a section: a section of the right length may still hold what is none.
fn read_section(payload: Payload<'_>, notes: &mut Notes) -> Result<(), BinaryReaderError> {
    match payload {
        Payload::ImportSection(imports) => read_imports(imports, notes),
        Payload::ComponentImportSection(imports) => read_component_imports(imports, notes),
        Payload::CodeSectionEntry(body) => read_function(&body),
        Payload::TypeSection(items) => read_items(items),
        Payload::FunctionSection(items) => read_items(items),
        Payload::TableSection(items) => read_items(items),
        Payload::MemorySection(items) => read_items(items),
        Payload::TagSection(items) => read_items(items),
        Payload::GlobalSection(items) => read_items(items),
        Payload::ExportSection(items) => read_items(items),
        Payload::ElementSection(items) => read_items(items),
        Payload::DataSection(items) => read_items(items),
        Payload::InstanceSection(items) => read_items(items),
        Payload::CoreTypeSection(items) => read_items(items),
        Payload::ComponentInstanceSection(items) => read_items(items),
        Payload::ComponentAliasSection(items) => read_items(items),
        Payload::ComponentTypeSection(items) => read_items(items),
        Payload::ComponentCanonicalSection(items) => read_items(items),
        Payload::ComponentExportSection(items) => read_items(items),
        Payload::Version { .. }
        | Payload::StartSection { .. }
        | Payload::DataCountSection { .. }
        | Payload::CodeSectionStart { .. }
        | Payload::ModuleSection { .. }
        | Payload::ComponentSection { .. }
        | Payload::ComponentStartSection { .. }
        | Payload::CustomSection(_)
        | Payload::End(_) => Ok(()),
        // A section of another version of the format.
        Payload::UnknownSection { .. } | _ => {
            notes.note_whole(&UNREAD_SYNTAX);
            Ok(())
        }
    }
}

fn read_items<'a, T: FromReader<'a>>(items: SectionLimited<'a, T>) -> Result<(), BinaryReaderError> {
    items.into_iter().try_for_each(|item| item.map(drop))
}

fn read_function(body: &FunctionBody<'_>) -> Result<(), BinaryReaderError> {
    let mut locals = body.get_locals_reader()?;
    for _ in 0..locals.get_count() {
        locals.read()?;
    }
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        operators.read()?;
    }
    operators.finish()
}

fn read_imports(imports: ImportSectionReader<'_>, notes: &mut Notes) -> Result<(), BinaryReaderError> {
    for group in imports {
        match group? {
            Imports::Single(_, import) => note_import(import.module, notes),
            Imports::Compact1 { module, items } => {
                note_import(module, notes);
                read_items(items)?;
            }
            Imports::Compact2 { module, names, .. } => {
                note_import(module, notes);
                read_items(names)?;
            }
        }
    }
    Ok(())
}

fn read_component_imports(
    imports: ComponentImportSectionReader<'_>,
    notes: &mut Notes,
) -> Result<(), BinaryReaderError> {
    for import in imports {
        let name = import?.name.name;
        note_import(name.split_once('@').map_or(name, |(name, _version)| name), notes);
    }
    Ok(())
}

/// A name that has not the form of a subject is noted without it, all of them in one row.
fn note_import(module: &str, notes: &mut Notes) {
    notes.note_whole_about(&WASM_IMPORT, Some(module).filter(|name| Subject::parse(name).is_some()));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEADER: &[u8] = b"\0asm\x01\0\0\0";

    fn rows_of(bytes: &[u8]) -> Vec<(&'static str, String, u64)> {
        let subject = |subject: Option<Subject>| subject.map_or(String::new(), |subject| subject.as_str().to_owned());
        read(bytes).sightings.into_iter().map(|one| (one.what.word, subject(one.subject), one.count)).collect()
    }

    fn module(sections: &[&[u8]]) -> Vec<u8> {
        [HEADER, &sections.concat()].concat()
    }

    /// One type `func`, and functions `f` imported from `env`, `env` and a name that is no subject.
    const TYPES: &[u8] = b"\x01\x04\x01\x60\0\0";
    const IMPORTS: &[u8] = b"\x02\x18\x03\x03env\x01f\0\0\x03env\x01g\0\0\x02a \x01f\0\0";
    const FUNCTIONS: &[u8] = b"\x03\x02\x01\0";
    const CODE: &[u8] = b"\x0a\x04\x01\x02\0\x0b";

    #[test]
    fn the_modules_that_are_imported_are_told() {
        let expected = [("import", String::new(), 1), ("import", "env".to_owned(), 2), ("module", String::new(), 1)];
        assert_eq!(rows_of(&module(&[TYPES, IMPORTS, FUNCTIONS, CODE])), expected);
    }

    #[test]
    fn instructions_on_vectors_are_read_as_browsers_do() {
        let body = [b"\x0a\x17\x01\x15\0\xfd\x0c".as_slice(), &[0; 16], b"\x1a\x0b"].concat();
        assert_eq!(rows_of(&module(&[TYPES, FUNCTIONS, &body])), [("module", String::new(), 1)]);
    }

    #[test]
    fn a_component_tells_what_it_imports_without_the_version() {
        let mut bytes = b"\0asm\x0d\0\x01\0".to_vec();
        bytes.extend(b"\x07\x05\x01\x40\0\x01\0");
        bytes.extend(b"\x0a\x15\x01\0\x10wasi:cli/x@0.2.0\x01\0");
        assert_eq!(rows_of(&bytes), [("import", "wasi:cli/x".to_owned(), 1), ("module", String::new(), 1)]);
    }

    #[test]
    fn what_is_cut_padded_or_broken_is_not_passed_over() {
        let whole = module(&[TYPES, IMPORTS, FUNCTIONS, CODE]);
        let broken: [Vec<u8>; 7] = [
            Vec::new(),
            b"\0asm".to_vec(),
            b"text".to_vec(),
            whole[..whole.len() - 1].to_vec(),
            [whole.as_slice(), &[0; 16]].concat(),
            [whole.as_slice(), b"\x7f\x01\0"].concat(),
            module(&[TYPES, FUNCTIONS, b"\x0a\x04\x01\x02\0\xff"]),
        ];
        for bytes in broken {
            assert!(rows_of(&bytes).iter().any(|(word, _, _)| *word == "syntax"), "{bytes:?}");
        }
        assert!(!rows_of(&whole).iter().any(|(word, _, _)| *word == "syntax"));
    }

    #[test]
    fn every_shorter_file_is_read_without_harm() {
        let whole = module(&[TYPES, IMPORTS, FUNCTIONS, CODE]);
        for end in 0..whole.len() {
            rows_of(&whole[..end]);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(
            is_component in any::<bool>(),
            parts in prop::collection::vec(
                prop_oneof![
                    Just(TYPES.to_vec()), Just(IMPORTS.to_vec()), Just(CODE.to_vec()),
                    prop::collection::vec(any::<u8>(), 0..20),
                    (0..14_u8, prop::collection::vec(any::<u8>(), 0..40)).prop_map(|(id, body)| {
                        [vec![id, body.len() as u8], body].concat()
                    }),
                ],
                0..6,
            ),
        ) {
            let header: &[u8] = if is_component { b"\0asm\x0d\0\x01\0" } else { HEADER };
            read(&[header, &parts.concat()].concat());
            read(&parts.concat());
        }
    }
}
