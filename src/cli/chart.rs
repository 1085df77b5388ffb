//! Bar charts, drawn as SVG.

use std::fmt::Write as _;

use endtable::games::{Bar, Chart};

/// Where things stand: each chart has a field of its own, a bar 40 units of it.
const HEIGHT: usize = 320;
const STEP: usize = 40;
const HIGHEST_BAR: f64 = 240.0;

/// A picture of some charts, so many side by side.
pub fn svg(charts: &[Chart], columns: usize) -> String {
    let width = charts.iter().map(|chart| 60 + STEP * chart.bars.len()).max().unwrap_or(0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n",
        width * charts.len().min(columns),
        HEIGHT * charts.len().div_ceil(columns)
    );
    for (number, chart) in charts.iter().enumerate() {
        let (x, y) = (width * (number % columns), HEIGHT * (number / columns));
        _ = writeln!(svg, "<g transform=\"translate({x} {y})\">");
        draw(chart, &mut svg);
        svg += "</g>\n";
    }
    svg + "</svg>\n"
}

fn draw(chart: &Chart, svg: &mut String) {
    let most = chart.bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1) as f64;
    _ = writeln!(svg, "<text x=\"30\" y=\"20\">{}</text>", chart.title);
    for (place, Bar { name, note, count, light }) in chart.bars.iter().enumerate() {
        let height = HIGHEST_BAR * *count as f64 / most;
        let (x, y) = (30 + STEP * place, 30.0 + HIGHEST_BAR - height);
        let colour = if *light { "#a8cbe3" } else { "#1b6ca8" };
        _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y:.1}\" width=\"30\" height=\"{height:.1}\" fill=\"{colour}\"/>\
                 <text x=\"{0}\" y=\"290\" text-anchor=\"middle\">{name}</text>\
                 <text x=\"{0}\" y=\"305\" text-anchor=\"middle\" fill=\"#666\">{note}</text>",
            x + 15
        );
    }
}
