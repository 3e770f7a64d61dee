//! Cosignatures (C2SP tlog-cosignature, `cosignature/v1`): a witness says which state of a log it saw, and when.

use data_encoding::BASE64;

use crate::{checkpoint::Checkpoint, signed_text::SignedText, witness_public_key::WitnessPublicKey};

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
#[must_use]
pub const fn is_time(time: u64) -> bool {
    time >= 1 && time <= MAX_TIME
}
