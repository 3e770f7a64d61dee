//! Numbers of several rounds, and what can be said of them.

use serde::Serialize;

/// One number a round.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Sample(pub Vec<f64>);

impl Sample {
    pub fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    pub fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        match sorted.len() {
            0 => f64::NAN,
            odd if odd % 2 == 1 => sorted[odd / 2],
            even => f64::midpoint(sorted[even / 2 - 1], sorted[even / 2]),
        }
    }

    pub fn lowest(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    pub fn highest(&self) -> f64 {
        self.0.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Round by round, this over that. A slow moment of the machine meets both sides of a round.
    pub fn over(&self, other: &Self) -> Self {
        Self(self.0.iter().zip(&other.0).map(|(one, other)| one / other).collect())
    }
}

/// The exponent of growth: the slope of the line through the logarithms of size and cost.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(size, cost)| (size.ln(), cost.ln())).collect();
    let count = logs.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| logs.iter().map(part).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let covariance: f64 = logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let variance: f64 = logs.iter().map(|point| (point.0 - x).powi(2)).sum();
    covariance / variance
}

/// Which share of the values is at most this one.
pub fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len() as f64 * share).ceil() as usize;
    values.get(at.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_a_middle_and_ratios_are_taken_round_by_round() {
        let (ours, theirs) = (Sample(vec![4.0, 2.0, 9.0]), Sample(vec![2.0, 1.0, 3.0]));
        assert_eq!(ours.median(), 4.0);
        assert_eq!(ours.over(&theirs).0, [2.0, 2.0, 3.0]);
        assert_eq!(Sample(vec![1.0, 2.0]).median(), 1.5);
    }

    #[test]
    fn growth_is_told_by_its_exponent() {
        let of = |power: i32| [1.0_f64, 10.0, 100.0].map(|size| (size, 3.0 * size.powi(power)));
        assert!((exponent(&of(1)) - 1.0).abs() < 1e-9);
        assert!((exponent(&of(2)) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_percentile_is_a_value_that_was_seen() {
        let mut values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(percentile(&mut values, 0.99), 99.0);
    }
}
