//! What is asked of the parts of a path.

use svc_json::simd_scan;

/// Names that Windows keeps for devices, whatever their extension.
const DEVICE_NAMES: &[&str] = &["con", "prn", "aux", "nul", "clock$", "conin$", "conout$"];

/// Where the parts of a path that rules ask for are, worked out once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PathMarks {
    pub(super) last_part: u16,
    pub(super) behind_dot: u16,
    pub(super) is_lower: bool,
}

impl PathMarks {
    /// The marks of any text that is not longer than a path.
    pub(crate) fn of(text: &str) -> Self {
        let behind = |mark| text.rfind(mark).map_or(0, |at| at + 1) as u16;
        Self { last_part: behind('/'), behind_dot: behind('.'), is_lower: is_lower_ascii(text) }
    }

    /// Where the last part begins.
    pub(crate) fn last_part(self) -> usize {
        self.last_part.into()
    }

    /// What follows the last dot of the last part.
    pub(crate) fn extension(self) -> Option<usize> {
        (self.behind_dot > self.last_part).then_some(self.behind_dot.into())
    }
}

pub(crate) fn is_lower_ascii(text: &str) -> bool {
    let lower = simd_scan::find_first(text.as_bytes(), |chunk| chunk.within(b'A', b'Z') | chunk.within(0x80, 0xFF));
    lower == text.len()
}

/// Whether a part without its extension is a name that Windows keeps for a device.
pub(super) fn is_device(stem: &[u8]) -> bool {
    // The superscripts one to three count as digits.
    let is_number = |text: &[u8]| matches!(text, [b'0'..=b'9'] | [0xC2, 0xB9 | 0xB2 | 0xB3]);
    match stem.len() {
        3 | 6 | 7 => DEVICE_NAMES.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(stem)),
        4 | 5 => stem.split_at_checked(3).is_some_and(|(port, number)| {
            (port.eq_ignore_ascii_case(b"com") || port.eq_ignore_ascii_case(b"lpt")) && is_number(number)
        }),
        _ => false,
    }
}
