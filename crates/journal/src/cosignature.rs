//! Cosignatures (C2SP tlog-cosignature, `cosignature/v1`): a witness says which state of a log it saw, and when.

use data_encoding::BASE64;

use crate::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    signed_text::SignedText,
    witness_key::{WitnessKey, WitnessPublicKey},
};

/// A time beyond this has no form.
const MAX_TIME: u64 = i64::MAX as u64;

/// How far apart the clocks of a witness and of a reader may be, in seconds.
const CLOCK_SKEW: u64 = 600;

/// 2025-01-01: no log of svc is older.
const EARLIEST: u64 = 1_735_689_600;

/// The times at which a cosignature counts, in seconds since 1970.
///
/// A witness that dates its cosignatures years ahead would make an old state look recent for ever, and one that dates them
/// before there were logs has no working clock. Neither counts for a quorum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeWindow {
    pub earliest: u64,
    pub latest: u64,
}

impl TimeWindow {
    /// For a cosignature that was kept or served: any time up to now.
    #[must_use]
    pub const fn until(now: u64) -> Self {
        Self { earliest: EARLIEST, latest: now.saturating_add(CLOCK_SKEW) }
    }

    /// For a cosignature that was just asked for: now.
    #[must_use]
    pub const fn at(now: u64) -> Self {
        Self { earliest: now.saturating_sub(CLOCK_SKEW), latest: now.saturating_add(CLOCK_SKEW) }
    }

    #[must_use]
    pub const fn contains(self, time: u64) -> bool {
        self.earliest <= time && time <= self.latest
    }
}

/// A signature of a witness that was found to be one of this checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cosignature {
    line: String,
    time: u64,
}

/// What a signature line is to a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CosignatureLine {
    /// Somebody else's.
    Foreign,
    /// It names the witness's key, and that key did not sign this.
    Bad,
    Good(Cosignature),
}

impl Cosignature {
    /// Signs what a witness saw. It must have been written down before: a signature cannot be taken back.
    ///
    /// # Errors
    /// When the time has no form, or the key does not sign.
    pub fn sign(key: &WitnessKey, checkpoint: &Checkpoint, time: u64) -> Result<Self, JournalFault> {
        let text = SignedText::Cosignature { time, checkpoint: checkpoint.body() };
        let signature = if is_time(time) { key.sign(&text) } else { None };
        let signature = signature
            .ok_or_else(|| JournalFault::new(JournalFaultKind::Unusable, "the witness cannot sign at this time"))?;
        let public = key.public();
        let bytes = [&public.id()[..], &time.to_be_bytes(), &signature].concat();
        Ok(Self { line: format!("\u{2014} {} {}", public.name(), BASE64.encode(&bytes)), time })
    }

    /// Reads a signature line of a note over this checkpoint, for one witness.
    #[must_use]
    pub fn read(line: &str, key: &WitnessPublicKey, checkpoint: &Checkpoint) -> CosignatureLine {
        let named = line.strip_prefix("\u{2014} ").and_then(|rest| rest.split_once(' '));
        let Some((_, encoded)) = named.filter(|(name, _)| *name == key.name()) else {
            return CosignatureLine::Foreign;
        };
        let bytes = BASE64.decode(encoded.as_bytes()).unwrap_or_default();
        let Some((_, rest)) = bytes.split_first_chunk::<4>().filter(|(id, _)| **id == key.id()) else {
            return CosignatureLine::Foreign;
        };
        let signed = || {
            let (time, signature) = rest.split_first_chunk::<8>()?;
            let time = Some(u64::from_be_bytes(*time)).filter(|time| is_time(*time))?;
            let signature = <&[u8; 64]>::try_from(signature).ok()?;
            let text = SignedText::Cosignature { time, checkpoint: checkpoint.body() };
            key.has_signed(&text, signature).then(|| Self { line: line.to_owned(), time })
        };
        signed().map_or(CosignatureLine::Bad, CosignatureLine::Good)
    }

    /// The line of a signed note, without its line break.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.line
    }

    /// When the witness signed, in seconds of POSIX.
    #[must_use]
    pub const fn time(&self) -> u64 {
        self.time
    }
}

/// Zero would say that no time is meant, which an Ed25519 cosignature cannot say.
const fn is_time(time: u64) -> bool {
    time >= 1 && time <= MAX_TIME
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{key::LogKey, tree::Hash};

    fn seen() -> (WitnessKey, Checkpoint) {
        let log = LogKey::from_seed("log.example", &[7; 32]).unwrap();
        let checkpoint = Checkpoint::sign(&log, 2, &Hash([3; 32])).unwrap();
        (WitnessKey::from_seed("witness.example/w1", &[9; 32]).unwrap(), checkpoint)
    }

    #[test]
    fn every_changed_byte_is_refused_or_somebody_elses() {
        let (key, checkpoint) = seen();
        let one = Cosignature::sign(&key, &checkpoint, 1_700_000_000).unwrap();
        assert_eq!(Cosignature::read(one.line(), key.public(), &checkpoint), CosignatureLine::Good(one.clone()));
        let line = one.line();
        for at in 0..line.len() {
            for bit in 0..8 {
                let mut changed = line.as_bytes().to_vec();
                changed[at] ^= 1 << bit;
                let Ok(changed) = String::from_utf8(changed) else { continue };
                let read = Cosignature::read(&changed, key.public(), &checkpoint);
                assert!(!matches!(read, CosignatureLine::Good(_)), "byte {at}, bit {bit}");
            }
        }
        for end in ["\n", " ", "\r", "="] {
            let read = Cosignature::read(&format!("{line}{end}"), key.public(), &checkpoint);
            assert!(!matches!(read, CosignatureLine::Good(_)), "{end:?}");
        }
    }

    #[test]
    fn times_that_are_none_are_never_signed_and_never_read() {
        let (key, checkpoint) = seen();
        for (time, is_one) in [(0, false), (1, true), (MAX_TIME, true), (MAX_TIME + 1, false), (u64::MAX, false)] {
            assert_eq!(Cosignature::sign(&key, &checkpoint, time).is_ok(), is_one, "{time}");
            let text = SignedText::Cosignature { time, checkpoint: checkpoint.body() };
            let bytes = [&key.public().id()[..], &time.to_be_bytes(), &key.sign(&text).unwrap()].concat();
            let line = format!("\u{2014} witness.example/w1 {}", BASE64.encode(&bytes));
            let read = Cosignature::read(&line, key.public(), &checkpoint);
            assert_eq!(matches!(read, CosignatureLine::Good(_)), is_one, "{time}");
            assert_eq!(read == CosignatureLine::Bad, !is_one, "{time}");
        }
    }

    #[test]
    fn a_cosignature_of_another_state_another_time_or_another_key_of_that_id_is_bad() {
        let (key, checkpoint) = seen();
        let log = LogKey::from_seed("log.example", &[7; 32]).unwrap();
        let bare = |key: &WitnessKey| {
            let line = Cosignature::sign(key, &checkpoint, 5).unwrap().line().to_owned();
            BASE64.decode(line.rsplit_once(' ').unwrap().1.as_bytes()).unwrap()
        };
        let read = |bytes: &[u8], checkpoint: &Checkpoint| {
            let line = format!("\u{2014} witness.example/w1 {}", BASE64.encode(bytes));
            Cosignature::read(&line, key.public(), checkpoint)
        };
        let bytes = bare(&key);
        for other in [Checkpoint::sign(&log, 3, &Hash([3; 32])), Checkpoint::sign(&log, 2, &Hash([4; 32]))] {
            assert_eq!(read(&bytes, &other.unwrap()), CosignatureLine::Bad);
        }
        let mut later = bytes.clone();
        later[11] += 1;
        assert_eq!(read(&later, &checkpoint), CosignatureLine::Bad);
        // The id is 32 bits: somebody finds a key that has the same. The name and the id say whose line it means to be.
        let mut collision = bare(&WitnessKey::from_seed("witness.example/w1", &[8; 32]).unwrap());
        assert_eq!(read(&collision, &checkpoint), CosignatureLine::Foreign);
        collision[..4].copy_from_slice(&key.public().id());
        assert_eq!(read(&collision, &checkpoint), CosignatureLine::Bad);
        for cut in [0, 3, 4, 11, 12, 75] {
            let verdict = if cut < 4 { CosignatureLine::Foreign } else { CosignatureLine::Bad };
            assert_eq!(read(&bytes[..cut], &checkpoint), verdict, "{cut}");
        }
    }
}
