//! `svc-registry journal prove`: the proof of a record, from the log.

use clap::{Arg, ArgMatches, Command, builder::PossibleValuesParser, value_parser};
use svc_cli::{arguments::text, failure::Failure};
use svc_journal::{open::LogReader, served, transfer};
use svc_json::canonical;
use svc_proof::fault::JournalFault;

use super::{
    location::{open, with_location},
    show::require_record,
};

const TLOG_PROOF: &str = "tlog-proof";

pub(super) fn command() -> Command {
    let place =
        Arg::new("place").value_name("N").required(true).value_parser(value_parser!(u64)).allow_negative_numbers(true);
    let form = Arg::new("as")
        .long("as")
        .value_name("FORM")
        .value_parser(PossibleValuesParser::new(["receipt", TLOG_PROOF]))
        .default_value("receipt")
        .help("How the proof is written: as a receipt in JSON, or as text in the form of C2SP tlog-proof");
    with_location(
        Command::new("prove")
            .about("Print the proof of a record")
            .arg(place.help("The number of the record, from 0"))
            .arg(form),
    )
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let place = arguments.get_one::<u64>("place").copied().unwrap_or_default();
    let reading = open(arguments)?;
    require_record(reading.store.as_ref(), place)?;
    let proof =
        if text(arguments, "as") == Some(TLOG_PROOF) { tlog_proof(&reading, place) } else { receipt(&reading, place) };
    proof.map_err(|fault| Failure::journal(&fault))
}

fn receipt(reading: &LogReader, place: u64) -> Result<String, JournalFault> {
    let receipt = transfer::prove(reading, place)?;
    Ok(String::from_utf8_lossy(&canonical::to_pretty(&receipt)).into_owned())
}

fn tlog_proof(reading: &LogReader, place: u64) -> Result<String, JournalFault> {
    served::proof(reading.store.as_ref(), &reading.newest()?, place).map(|proof| proof.to_text())
}
