//! Records and checkpoints as server-sent events.
//!
//! The data of a record are its bytes as they are in the log, so that whoever reads them computes its leaf hash.

use std::ops::Range;

use bytes::Bytes;
use svc_core::journal::event::EventType;
use svc_journal::store::LogRow;
use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    minimum_index::LogStart,
};

/// What one piece of a stream has at most, but for a single record. A reader that does not read keeps one or two of them.
pub(crate) const BLOCK_BYTES: usize = 32 * 1024;

/// What is kept of the newest records for all who follow; whoever is further behind reads from the store.
pub(crate) const WINDOW_BYTES: usize = 4 * 1024 * 1024;

/// What a stream says when it has nothing to say.
pub(crate) const COMMENT: &[u8] = b": \n\n";

/// Records one after the other, as they are sent.
#[derive(Debug)]
pub(crate) struct Block {
    from: u64,
    bytes: Bytes,
    records: Vec<FramedRecord>,
}

#[derive(Debug)]
struct FramedRecord {
    /// Where it ends among the bytes.
    end: usize,
    event: EventType,
    is_probe: bool,
}

/// Which records somebody follows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventFilter {
    /// Of which types; of all when there are none.
    pub(crate) types: Vec<EventType>,
    /// Whether also those that a verifier made.
    pub(crate) probes: bool,
}

impl EventFilter {
    fn takes(&self, record: &FramedRecord) -> bool {
        (self.probes || !record.is_probe) && (self.types.is_empty() || self.types.contains(&record.event))
    }
}

impl Block {
    /// The rows as events, in blocks. Each of them is read as a no before it is sent.
    ///
    /// # Errors
    /// When a record was pruned, or is not one of a no.
    pub(crate) fn all_of(rows: &[LogRow], start: &LogStart) -> Result<Vec<Self>, JournalFault> {
        let mut blocks = Vec::new();
        let mut rest = rows;
        while let Some(first) = rest.first() {
            let mut bytes = Vec::new();
            let mut records = Vec::new();
            for row in rest {
                let framed = frame(row, start)?;
                if !bytes.is_empty() && bytes.len() + framed.0.len() > BLOCK_BYTES {
                    break;
                }
                bytes.extend_from_slice(&framed.0);
                records.push(FramedRecord { end: bytes.len(), event: framed.1, is_probe: framed.2 });
            }
            rest = rest.get(records.len()..).unwrap_or_default();
            blocks.push(Self { from: first.place, bytes: bytes.into(), records });
        }
        Ok(blocks)
    }

    pub(crate) fn from(&self) -> u64 {
        self.from
    }

    /// The number of the record that follows its last.
    pub(crate) fn end(&self) -> u64 {
        self.from.saturating_add(self.records.len() as u64)
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// What somebody is sent of it who has seen everything before this record, and how many records those are. Nothing is
    /// copied.
    pub(crate) fn pieces(&self, next: u64, filter: &EventFilter) -> (Vec<Bytes>, u64) {
        let skipped = usize::try_from(next.saturating_sub(self.from)).unwrap_or(usize::MAX);
        let (mut pieces, mut count) = (Vec::new(), 0);
        let mut run: Option<Range<usize>> = None;
        let mut start = 0;
        for (at, record) in self.records.iter().enumerate() {
            if at >= skipped && filter.takes(record) {
                count += 1;
                run = Some(run.map_or(start, |run| run.start)..record.end);
            } else if let Some(run) = run.take() {
                pieces.push(self.bytes.slice(run));
            }
            start = record.end;
        }
        pieces.extend(run.map(|run| self.bytes.slice(run)));
        (pieces, count)
    }
}

fn frame(row: &LogRow, start: &LogStart) -> Result<(Vec<u8>, EventType, bool), JournalFault> {
    let record = row.read(start)?;
    let bytes = row.record.as_deref().unwrap_or_default();
    // An event ends with its line. Canonical bytes have none, and whatever else has is no record.
    if bytes.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
        return Err(JournalFault::new(
            JournalFaultKind::Corrupt,
            format!("record {} has more than one line", row.place),
        ));
    }
    let event = EventType::of(&record);
    let mut frame = format!("id: {}\nevent: {event}\ndata: ", row.place).into_bytes();
    frame.extend_from_slice(bytes);
    frame.extend_from_slice(b"\n\n");
    Ok((frame, event, record.probe().is_some()))
}

/// A signed note as an event, line by line. It has no id: that is always the index of a record.
pub(crate) fn checkpoint(note: &str) -> Bytes {
    let mut frame = String::from("event: checkpoint\n");
    for line in note.strip_suffix('\n').unwrap_or(note).split('\n') {
        frame.push_str(if line.is_empty() { "data:" } else { "data: " });
        frame.push_str(line);
        frame.push('\n');
    }
    frame.push('\n');
    frame.into()
}

#[cfg(test)]
mod tests {
    use svc_core::{
        journal::{scalars::Count, timestamp::Timestamp},
        samples,
        words::kind,
    };
    use svc_json::canonical;
    use svc_registry_api::{
        caller::Caller,
        evaluate::{Evaluation, Recording, evaluate},
        request::RequestName,
    };

    use super::*;

    /// Rows of a log: what a good document and a broken one leave, in turn, every third as a probe.
    fn rows(count: u64) -> Vec<LogRow> {
        let sample = samples::bundle("{}", 0).unwrap();
        let spec = &kind::ACCEPTANCE_REQUEST;
        let good = sample.get(spec.file).unwrap().clone();
        let text = String::from_utf8(good.clone()).unwrap();
        let claims = text.replacen("\"signed\": false", "\"signed\": true", 1).into_bytes();
        assert_ne!(good, claims);
        let one = |place: u64| {
            let probe = (place % 3 == 2).then(|| svc_core::journal::scalars::ProbeId::parse(&"a".repeat(32)).unwrap());
            let caller = Caller { token: None, probe };
            let body = if place.is_multiple_of(2) { &good } else { &claims };
            let evaluated = evaluate(samples::rules(), spec, body, &RequestName::new("/"), Recording::On(&caller));
            let Evaluation::ToRecord(recorded) = evaluated else { panic!("nothing to record") };
            let time = Timestamp::parse("2026-11-15T05:22:07.123Z").unwrap();
            let record = recorded.0.record.place(Count::new(place).unwrap(), time);
            LogRow { place, record: Some(canonical::to_bytes(&record)), hashes: Vec::new() }
        };
        (0..count).map(one).collect()
    }

    fn text(pieces: &[Bytes]) -> String {
        String::from_utf8(pieces.concat()).unwrap()
    }

    #[test]
    fn what_is_no_record_of_a_no_is_never_sent() {
        let start = LogStart::default();
        let good = rows(1);
        let bytes = good[0].record.clone().unwrap();
        let bent = |from: &str, to: &str| {
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(text.contains(from), "{text}");
            text.replacen(from, to, 1).into_bytes()
        };
        for record in [
            None,
            Some(Vec::new()),
            Some(b"{}".to_vec()),
            Some(bent("\"accepted\":false", "\"accepted\":true")),
            Some(bent("\"outcome\":\"denied\"", "\"outcome\":\"accepted\"")),
            Some(bent("\"sequence\":0", "\"sequence\":1")),
            Some(bent("{", "{\n")),
            Some([&bytes[..], b"\n\nid: 9"].concat()),
        ] {
            let row = LogRow { record: record.clone(), ..good[0].clone() };
            assert!(Block::all_of(&[row], &start).is_err(), "{record:?}");
        }
    }

    #[test]
    fn a_stream_holds_the_bytes_of_every_record_and_a_filter_leaves_out_whole_ones() {
        let rows = rows(200);
        let blocks = Block::all_of(&rows, &LogStart::default()).unwrap();
        assert!(blocks.len() > 1 && blocks.iter().all(|block| block.len() <= BLOCK_BYTES));
        assert!(blocks.windows(2).all(|pair| pair[0].end() == pair[1].from()));
        assert_eq!(blocks.last().unwrap().end(), 200);
        let all = EventFilter { probes: true, ..EventFilter::default() };
        let whole: Vec<Bytes> = blocks.iter().flat_map(|block| block.pieces(0, &all).0).collect();
        assert_eq!(whole.len(), blocks.len(), "nothing is cut");
        let whole = text(&whole);
        let data: Vec<&[u8]> =
            whole.lines().filter_map(|line| line.strip_prefix("data: ")).map(str::as_bytes).collect();
        assert!(data.iter().zip(&rows).all(|(data, row)| *data == row.record.as_deref().unwrap()) && data.len() == 200);
        let ids = |text: &str| -> Vec<u64> {
            text.lines().filter_map(|line| line.strip_prefix("id: ")).map(|id| id.parse().unwrap()).collect()
        };
        let block = &blocks[0];
        for next in [0, 1, block.end() - 1, block.end()] {
            let (pieces, count) = block.pieces(next, &all);
            assert_eq!(ids(&text(&pieces)), (next..block.end()).collect::<Vec<u64>>());
            assert_eq!(count, block.end() - next);
        }
        let without_probes = ids(&text(&block.pieces(0, &EventFilter::default()).0));
        assert_eq!(without_probes, (0..block.end()).filter(|id| id % 3 != 2).collect::<Vec<u64>>());
        let open = EventFilter { types: vec![EventType::PostureViolation], probes: false };
        let (pieces, count) = block.pieces(0, &open);
        let posture = ids(&text(&pieces));
        assert_eq!(posture, (0..block.end()).filter(|id| id % 3 != 2 && id % 2 == 1).collect::<Vec<u64>>());
        assert_eq!(count, posture.len() as u64);
        assert!(
            text(&pieces)
                .lines()
                .filter(|line| line.starts_with("event: "))
                .all(|line| { line == "event: registry.posture.violation" })
        );
    }

    #[test]
    fn a_note_is_read_back_line_by_line() {
        let note = "registry.example/journal\n3\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n\u{2014} registry.example/journal x\n";
        let frame = String::from_utf8(checkpoint(note).to_vec()).unwrap();
        assert!(
            frame.starts_with("event: checkpoint\ndata: registry.example/journal\ndata: 3\n")
                && frame.ends_with("\n\n")
        );
        let lines = frame.lines().filter_map(|line| line.strip_prefix("data:"));
        let joined: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
        assert_eq!(joined.join("\n") + "\n", note);
    }
}
