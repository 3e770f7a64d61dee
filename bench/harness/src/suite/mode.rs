//! How long a run measures.

#[derive(Clone, Copy, Debug)]
pub struct Mode {
    pub name: &'static str,
    pub rounds: usize,
    /// Of one load.
    pub seconds: f64,
    pub log_sizes: &'static [u64],
    /// Records of the log after years.
    pub long_log: u64,
}

pub const MODES: [Mode; 2] = [
    Mode { name: "quick", rounds: 2, seconds: 0.4, log_sizes: &[1_000, 10_000, 50_000], long_log: 100_000 },
    Mode { name: "full", rounds: 5, seconds: 1.5, log_sizes: &[10_000, 100_000, 1_000_000], long_log: 10_000_000 },
];
