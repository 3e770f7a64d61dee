//! Plots as SVG: lines on logarithmic axes, readable without colour, in light and dark.

use std::fmt::Write as _;

/// Lines over one another.
#[derive(Clone, Debug)]
pub struct Plot {
    pub name: &'static str,
    pub title: &'static str,
    pub across: &'static str,
    pub up: &'static str,
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 250.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 56.0;

const COLOURS: [&str; 8] = ["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#6e7781", "#9a6700", "#0a7ea4"];
const DASHES: [&str; 8] = ["", "8 4", "2 3", "10 3 2 3", "5 5", "1 4", "12 4", "6 2 2 2"];

/// One axis: the decades that hold all values.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values
            .filter(|value| *value > 0.0)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = (low.log10().floor(), high.log10().ceil());
        Self { low, high: if high > low { high } else { low + 1.0 } }
    }

    /// Where a value is, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        (value.log10() - self.low) / (self.high - self.low)
    }

    fn decades(&self) -> Vec<f64> {
        (self.low as i32..=self.high as i32).map(|power| 10_f64.powi(power)).collect()
    }
}

/// A power of ten that fits under its line.
fn decade_in_short(value: f64) -> String {
    match value {
        large if large >= 1e6 => format!("{:.0} M", large / 1e6),
        large if large >= 1e3 => format!("{:.0} k", large / 1e3),
        large if large >= 1.0 => format!("{large:.0}"),
        small => format!("{small}"),
    }
}

/// The plot as a file.
pub fn svg(plot: &Plot) -> String {
    let points = || plot.lines.iter().flat_map(|(_, points)| points.iter());
    let (across, up) = (Axis::of(points().map(|point| point.0)), Axis::of(points().map(|point| point.1)));
    let x = |value: f64| LEFT + across.place(value) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - up.place(value) * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\"><title>{title}</title>\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"26\" font-size=\"16\" font-weight=\"600\" fill=\"#1f2328\">{title}</text>\n",
        title = plot.title
    );
    for decade in across.decades() {
        let at = x(decade);
        let _ = writeln!(
            svg,
            "<path d=\"M{at:.1} {TOP}V{:.1}\" stroke=\"#d8dee4\"/><text x=\"{at:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\" fill=\"#59636e\">{}</text>",
            HEIGHT - BOTTOM,
            HEIGHT - BOTTOM + 18.0,
            decade_in_short(decade)
        );
    }
    for decade in up.decades() {
        let at = y(decade);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"#d8dee4\"/><text x=\"{:.1}\" y=\"{:.1}\" \
             text-anchor=\"end\" fill=\"#59636e\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at + 4.0,
            decade_in_short(decade)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#1f2328\">{}</text>\n\
         <text transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\" fill=\"#1f2328\">{}</text>",
        f64::midpoint(LEFT, WIDTH - RIGHT),
        HEIGHT - 12.0,
        plot.across,
        f64::midpoint(TOP, HEIGHT - BOTTOM),
        plot.up
    );
    for (number, (name, points)) in plot.lines.iter().enumerate() {
        let (colour, dash) = (COLOURS[number % COLOURS.len()], DASHES[number % DASHES.len()]);
        let path: Vec<String> = points.iter().map(|point| format!("{:.1} {:.1}", x(point.0), y(point.1))).collect();
        let key = TOP + 14.0 + 22.0 * number as f64;
        let style = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\" stroke-dasharray=\"{dash}\"");
        let _ = writeln!(svg, "<path d=\"M{}\" {style}/>", path.join("L"));
        for point in &path {
            let (at, height) = point.split_once(' ').unwrap_or_default();
            let _ = writeln!(svg, "<circle cx=\"{at}\" cy=\"{height}\" r=\"3.5\" fill=\"{colour}\"/>");
        }
        let start = WIDTH - RIGHT + 20.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{start} {key}h28\" {style}/><text x=\"{:.1}\" y=\"{:.1}\" fill=\"#1f2328\">{name}</text>",
            start + 36.0,
            key + 4.0
        );
    }
    svg + "</svg>\n"
}
