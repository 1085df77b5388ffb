//! Statistics as a picture: bar charts and heat maps, drawn as SVG.
//!
//! The picture brings its own light background, so that it reads the same on a light and on a dark
//! page. Colours differ in brightness, too, for those who do not see them apart.

use std::fmt::Write as _;

use endtable::games::{Bin, Group, Histogram, Layout, Section, Statistics};

/// The picture's width and the space around its parts.
const WIDTH: f64 = 1080.0;
const MARGIN: f64 = 28.0;

/// Parts of a bar chart.
const TITLE_HEIGHT: f64 = 46.0;
const PLOT_HEIGHT: f64 = 230.0;
const AXIS_WIDTH: f64 = 112.0;
/// Room below the plot for the numbers, upright or slanted, and the axis' title.
const FLAT_FEET: f64 = 50.0;
const SLANTED_FEET: f64 = 96.0;

/// Parts of a heat map.
const ROW_HEIGHT: f64 = 24.0;
const ROW_LABEL: f64 = 84.0;
const ROW_TOTAL: f64 = 124.0;
const LEGEND_WIDTH: f64 = 84.0;

/// More bars than this are drawn as fewer, wider ones.
const MOST_BARS: usize = 24;

const STYLE: &str = "text{font-family:'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif;\
     font-size:12px;fill:#1f2328}.title{font-size:16px;font-weight:600}.head{font-size:20px;\
     font-weight:600}.axis{fill:#57606a}.small{font-size:11px;fill:#57606a}.grid{stroke:#d8dee4}\
     .line{stroke:#57606a}.pale{fill:#ffffff}";

/// The colours of parts, in their order, and of bars that belong to none.
const PARTS: [&str; 2] = ["#0b5fa5", "#e8a33d"];
const NO_PART: &str = "#0b5fa5";

/// A picture of some statistics, one below the other.
pub fn svg<'a>(statistics: impl Iterator<Item = &'a Statistics>) -> String {
    let mut picture = Picture { body: String::new(), y: MARGIN };
    statistics.for_each(|statistics| picture.add(statistics));
    let (height, body) = (picture.y, picture.body);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {WIDTH} {height:.0}\">\n<style>{STYLE}</style>\n\
         <rect width=\"{WIDTH}\" height=\"{height:.0}\" rx=\"6\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// A picture in the making: what is drawn, and how far down.
struct Picture {
    body: String,
    y: f64,
}

impl Picture {
    fn add(&mut self, statistics: &Statistics) {
        let mut head = format!("{}, {}", statistics.game, statistics.rules);
        if let Some(tables) = &statistics.tables {
            head = format!("{}: {tables}", statistics.game);
        }
        self.text(MARGIN, self.y + 16.0, "head", "start", &capital(&head));
        self.y += 40.0;
        for section in &statistics.sections {
            match section.layout {
                Layout::Columns => self.bar_charts(section),
                Layout::Rows => self.heat_map(section),
            }
        }
    }

    /// The groups side by side, a row of charts for each quantity.
    fn bar_charts(&mut self, section: &Section) {
        let most = section.groups.iter().map(|group| group.histograms.len()).max().unwrap_or(0);
        for place in 0..most {
            let charts: Vec<(&Group, Histogram)> = section
                .groups
                .iter()
                .filter_map(|group| Some((group, drawn(group.histograms.get(place)?))))
                .collect();
            let columns = charts.len() as f64;
            let width = (WIDTH - MARGIN * (columns + 1.0)) / columns;
            // The same scale for all, so that they can be compared.
            let bins = charts.iter().flat_map(|(_, histogram)| &histogram.bins);
            let highest = bins.map(|bin| bin.count).max().unwrap_or(0);
            let (first, last) = span(charts.iter().map(|(_, histogram)| histogram));
            let mut feet: f64 = 0.0;
            for (column, (group, histogram)) in charts.iter().enumerate() {
                let x = MARGIN + column as f64 * (width + MARGIN);
                let chart = BarChart { section, group, histogram, first, last, highest };
                feet = feet.max(self.bar_chart(&chart, x, width));
            }
            self.y += TITLE_HEIGHT + PLOT_HEIGHT + feet + MARGIN;
        }
    }

    /// Draws a chart, and answers the room that it takes below its plot.
    fn bar_chart(&mut self, chart: &BarChart<'_>, x: f64, width: f64) -> f64 {
        let BarChart { section, group, histogram, .. } = *chart;
        let things = section.things;
        let total = grouped(group.total);
        let title = match group.label_text() {
            label if label.is_empty() => format!("{total} {things} by {}", histogram.axis),
            label => format!("{total} {things}, {label}"),
        };
        self.text(x, self.y + 13.0, "title", "start", &title);
        self.parts_legend(group, histogram, x);
        let (left, top) = (x + AXIS_WIDTH, self.y + TITLE_HEIGHT);
        let (plot, bottom) = (width - AXIS_WIDTH, top + PLOT_HEIGHT);
        let step = nice_step(chart.highest as f64 / 5.0);
        let scale = PLOT_HEIGHT / (chart.highest as f64 * 1.08).max(1.0);
        let mut tick = 0.0;
        while tick <= chart.highest as f64 * 1.08 {
            let y = bottom - tick * scale;
            self.line(left, y, left + plot, y, if tick == 0.0 { "line" } else { "grid" });
            self.text(left - 8.0, y + 4.0, "axis", "end", &grouped(tick as u64));
            tick += step;
        }
        self.turned(x + 12.0, top + PLOT_HEIGHT / 2.0, things);
        let slots = chart.slots();
        let slot = plot / slots.len().max(1) as f64;
        let slanted = histogram.bins.iter().any(|bin| bin.to.is_some()) || slot < 30.0;
        for (place, bin) in slots.iter().enumerate() {
            let middle = left + slot * (place as f64 + 0.5);
            let name = bin.map_or_else(|| chart.name_of_slot(place), |bin| bin_text(&bin));
            if slanted {
                self.slanted(middle + 4.0, bottom + 14.0, &name);
            } else {
                self.text(middle, bottom + 16.0, "axis", "middle", &name);
            }
            let Some(bin) = bin.filter(|bin| bin.count > 0) else { continue };
            let height = (bin.count as f64 * scale).max(0.5);
            let (bar, share) = (slot * 0.78, group.share(bin.count));
            let title = format!(
                "{} {}: {} {things}, {share:.2} %",
                histogram.axis,
                bin_text(&bin),
                grouped(bin.count)
            );
            _ = writeln!(
                self.body,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{bar:.1}\" height=\"{height:.1}\" \
                 fill=\"{}\"><title>{title}</title></rect>",
                middle - bar / 2.0,
                bottom - height,
                colour(group, &bin)
            );
            if slot >= 30.0 {
                let share = share_text(share);
                self.text(middle, bottom - height - 5.0, "small", "middle", &format!("{share}%"));
            }
        }
        let feet = if slanted { SLANTED_FEET } else { FLAT_FEET };
        self.text(left + plot / 2.0, bottom + feet - 12.0, "axis", "middle", &histogram.axis);
        feet
    }

    /// Which colour stands for which part, below a chart's title.
    fn parts_legend(&mut self, group: &Group, histogram: &Histogram, x: f64) {
        if histogram.bins.iter().all(|bin| bin.part.is_none()) {
            return;
        }
        let y = self.y + 33.0;
        self.text(x, y, "axis", "start", "by the side to move:");
        let mut x = x + 138.0;
        for (name, count) in &group.parts {
            let colour = part_colour(group, name);
            _ = writeln!(
                self.body,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"11\" height=\"11\" fill=\"{colour}\"/>",
                y - 10.0
            );
            let text = format!("{name} {:.1} %", group.share(*count));
            self.text(x + 17.0, y, "axis", "start", &text);
            x += 112.0;
        }
    }

    /// The groups below each other, the largest number of the label on top.
    fn heat_map(&mut self, section: &Section) {
        let histograms: Vec<&Histogram> =
            section.groups.iter().filter_map(|group| group.histograms.first()).collect();
        let Some(histogram) = histograms.first() else { return };
        let (first, last) = span(histograms.iter().copied());
        let columns = (last - first) as usize + 1;
        let things = section.things;
        let (axis, by) = (&histogram.axis, histogram.by);
        let title = format!("Share of the {things} by {axis}, for each of the {}, %", section.name);
        self.text(MARGIN, self.y + 13.0, "title", "start", &title);
        let (left, top) = (MARGIN + ROW_LABEL, self.y + 56.0);
        let plot = WIDTH - 2.0 * MARGIN - ROW_LABEL - ROW_TOTAL - LEGEND_WIDTH;
        let cell = plot / columns as f64;
        let shares = section.groups.iter().flat_map(|group| {
            group
                .histograms
                .first()
                .into_iter()
                .flat_map(|it| &it.bins)
                .map(|bin| group.share(bin.count))
        });
        let most = shares.fold(0.0, f64::max);
        let head = section.groups.first().and_then(|group| group.label.first());
        self.text(left - 10.0, top - 8.0, "axis", "end", head.map_or("", |(name, _)| name));
        self.text(left + plot + ROW_TOTAL - 16.0, top - 8.0, "axis", "end", things);
        for (row, group) in section.groups.iter().rev().enumerate() {
            let y = top + ROW_HEIGHT * row as f64;
            let label = group.label_values();
            self.text(left - 10.0, y + 16.0, "", "end", &label);
            let total = grouped(group.total);
            self.text(left + plot + ROW_TOTAL - 16.0, y + 16.0, "axis", "end", &total);
            for place in 0..columns {
                let number = first + place as f64;
                let bins = group.histograms.first().map_or(&[][..], |histogram| &histogram.bins);
                let bin = bins.iter().find(|bin| bin.from == number);
                let share = group.share(bin.map_or(0, |bin| bin.count));
                let x = left + cell * place as f64;
                let depth = depth_of(share, most);
                _ = writeln!(
                    self.body,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
                     fill=\"{}\"><title>{label}, {by} {number}: {} {things}, {share:.2} %</title>\
                     </rect>",
                    cell - 1.0,
                    ROW_HEIGHT - 1.0,
                    if share > 0.0 { shade(depth) } else { "#f3f4f6".into() },
                    grouped(bin.map_or(0, |bin| bin.count)),
                );
                if share > 0.0 {
                    let class = if depth > 0.62 { "pale" } else { "" };
                    let middle = x + (cell - 1.0) / 2.0;
                    self.text(middle, y + 16.0, class, "middle", &share_text(share));
                }
            }
        }
        let bottom = top + ROW_HEIGHT * section.groups.len() as f64;
        for place in 0..columns {
            let number = format!("{}", first + place as f64);
            let middle = left + cell * (place as f64 + 0.5);
            self.text(middle, bottom + 16.0, "axis", "middle", &number);
        }
        self.text(left + plot / 2.0, bottom + 38.0, "axis", "middle", axis);
        self.scale(WIDTH - MARGIN - LEGEND_WIDTH + 20.0, top, bottom - top, most);
        self.y = bottom + FLAT_FEET + MARGIN;
    }

    /// What the shades of a heat map mean.
    fn scale(&mut self, x: f64, top: f64, height: f64, most: f64) {
        let height = height.min(300.0);
        let stop = |step: u8| {
            let depth = f64::from(step) / 16.0;
            format!("<stop offset=\"{}\" stop-color=\"{}\"/>", 1.0 - depth, shade(depth))
        };
        let stops: String = (0..=16).rev().map(stop).collect();
        _ = writeln!(
            self.body,
            "<linearGradient id=\"scale\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"1\">{stops}\
             </linearGradient><rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"14\" height=\"{height:.1}\" \
             fill=\"url(#scale)\"/>"
        );
        let shares = [75.0, 50.0, 25.0, 10.0, 5.0, 1.0, 0.0].into_iter();
        for share in [most].into_iter().chain(shares.filter(|share| share + 10.0 <= most)) {
            let y = top + height * (1.0 - depth_of(share, most)) + 4.0;
            self.text(x + 20.0, y, "axis", "start", &format!("{} %", share_text(share)));
        }
    }

    fn text(&mut self, x: f64, y: f64, class: &str, anchor: &str, text: &str) {
        _ = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\" text-anchor=\"{anchor}\">{text}</text>"
        );
    }

    fn turned(&mut self, x: f64, y: f64, text: &str) {
        _ = writeln!(
            self.body,
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" class=\"axis\" \
             text-anchor=\"middle\">{text}</text>"
        );
    }

    fn slanted(&mut self, x: f64, y: f64, text: &str) {
        _ = writeln!(
            self.body,
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-40)\" class=\"small\" \
             text-anchor=\"end\">{text}</text>"
        );
    }

    fn line(&mut self, x: f64, y: f64, to_x: f64, to_y: f64, class: &str) {
        _ = writeln!(
            self.body,
            "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{to_x:.1}\" y2=\"{to_y:.1}\" class=\"{class}\"/>"
        );
    }
}

/// A chart of one group by one quantity.
struct BarChart<'a> {
    section: &'a Section,
    group: &'a Group,
    histogram: &'a Histogram,
    /// The first and the last number of all charts in the row, and their highest count.
    first: f64,
    last: f64,
    highest: u64,
}

impl BarChart<'_> {
    /// Whether every whole number from the first to the last has a place of its own.
    fn has_steps_of_one(&self) -> bool {
        let whole = |bin: &Bin| bin.to.is_none() && bin.from.fract() == 0.0;
        self.last - self.first < MOST_BARS as f64 && self.histogram.bins.iter().all(whole)
    }

    /// The bars from left to right: for whole numbers, also those of which there are none.
    fn slots(&self) -> Vec<Option<Bin>> {
        let bins = &self.histogram.bins;
        if !self.has_steps_of_one() {
            return bins.iter().copied().map(Some).collect();
        }
        let numbers =
            (0..=(self.last - self.first) as u32).map(|place| self.first + f64::from(place));
        numbers.map(|number| bins.iter().copied().find(|bin| bin.from == number)).collect()
    }

    fn name_of_slot(&self, place: usize) -> String {
        (self.first + place as f64).to_string()
    }
}

/// A histogram with no more bars than can be told apart.
fn drawn(histogram: &Histogram) -> Histogram {
    let mut drawn = histogram.clone();
    let some = drawn.bins.len().div_ceil(MOST_BARS).max(1);
    if some > 1 {
        let joined = histogram.bins.chunks(some).map(|bins| {
            let last = bins[bins.len() - 1];
            let count = bins.iter().map(|bin| bin.count).sum();
            Bin { to: last.to.or(Some(last.from)), count, ..bins[0] }
        });
        drawn.bins = joined.collect();
    }
    drawn
}

/// The first and the last number of some histograms.
fn span<'a>(histograms: impl Iterator<Item = &'a Histogram>) -> (f64, f64) {
    let bins = histograms.flat_map(|histogram| &histogram.bins);
    let (first, last) = bins.fold((f64::INFINITY, 0.0_f64), |(first, last), bin| {
        (first.min(bin.from), last.max(bin.from))
    });
    (first.min(last), last)
}

fn colour(group: &Group, bin: &Bin) -> &'static str {
    bin.part.map_or(NO_PART, |part| part_colour(group, part))
}

fn part_colour(group: &Group, part: &str) -> &'static str {
    let place = group.parts.iter().position(|(name, _)| *name == part);
    place.and_then(|place| PARTS.get(place)).copied().unwrap_or(NO_PART)
}

/// How dark a share is drawn: by its root, so that small ones can be told apart, too.
fn depth_of(share: f64, most: f64) -> f64 {
    if most > 0.0 { (share / most).sqrt() } else { 0.0 }
}

/// From pale yellow through green to dark blue, ever darker.
fn shade(depth: f64) -> String {
    const STOPS: [[f64; 3]; 5] = [
        [255.0, 253.0, 222.0],
        [199.0, 233.0, 180.0],
        [86.0, 182.0, 190.0],
        [32.0, 104.0, 168.0],
        [10.0, 32.0, 96.0],
    ];
    let place = depth.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let stop = (place as usize).min(STOPS.len() - 2);
    let part = place - stop as f64;
    let mix = |channel: usize| {
        let (from, to) = (STOPS[stop][channel], STOPS[stop + 1][channel]);
        (from + part * (to - from)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

/// The next larger one of 1, 2, 5, 10, 20, ….
fn nice_step(least: f64) -> f64 {
    let ten = 10f64.powf(least.max(1.0).log10().floor());
    [1.0, 2.0, 5.0]
        .map(|steps| steps * ten)
        .into_iter()
        .find(|&step| step >= least)
        .unwrap_or(10.0 * ten)
}

/// A share in as many digits as tell something.
fn share_text(share: f64) -> String {
    match share {
        share if share >= 10.0 => format!("{share:.0}"),
        share if share >= 0.095 => format!("{share:.1}"),
        0.0 => "0".into(),
        _ => "&lt;0.1".into(),
    }
}

/// The number of a bin, or its range.
fn bin_text(bin: &Bin) -> String {
    let grouped_text = |text: &str| match text.parse::<u64>() {
        Ok(number) => grouped(number),
        Err(_) => text.to_owned(),
    };
    bin.text().split(" to ").map(grouped_text).collect::<Vec<_>>().join(" – ")
}

/// A number with commas between its thousands.
pub fn grouped(number: u64) -> String {
    indicatif::HumanCount(number).to_string()
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
