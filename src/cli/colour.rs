//! Colours: where the terminal has them and nobody objects (`NO_COLOR`, `TERM=dumb`, a pipe).

use std::io;

use anstream::{AutoStream, ColorChoice};
use anstyle::{Ansi256Color, Color, RgbColor, Style};
use endtable::games::{Picture, Tone};

/// Whether what goes to standard output may be coloured.
pub fn wanted() -> bool {
    AutoStream::choice(&io::stdout()) != ColorChoice::Never
}

/// The lines of a drawing, in colours where they are wanted.
pub fn lines(picture: &Picture) -> Vec<String> {
    let colours = wanted().then(Palette::of_terminal);
    let piece = |(text, tone): &(String, Tone)| match colours {
        Some(palette) => paint(text, palette.style(*tone)),
        None => text.clone(),
    };
    picture.lines().map(|line| line.iter().map(piece).collect()).collect()
}

/// The same in one text, a line feed behind each line.
pub fn text(picture: &Picture) -> String {
    lines(picture).into_iter().map(|line| line + "\n").collect()
}

fn paint(text: &str, style: Style) -> String {
    format!("{}{text}{}", style.render(), style.render_reset())
}

/// The colours that a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Palette {
    /// All of them.
    True,
    /// 256, as nearly every terminal.
    Indexed,
}

impl Palette {
    fn of_terminal() -> Self {
        match std::env::var("COLORTERM").as_deref() {
            Ok("truecolor" | "24bit") => Self::True,
            _ => Self::Indexed,
        }
    }

    /// How a tone is shown. Ground and ink are given together, so that both dark and light
    /// terminals show them as they are meant.
    fn style(self, tone: Tone) -> Style {
        let (ground, bold) = match tone {
            Tone::Faint => return Style::new().dimmed(),
            Tone::First => ((38, 96, 164), true),
            Tone::Second => ((230, 150, 40), true),
            Tone::Marked => ((110, 190, 90), true),
            Tone::Step(step) => (SCALE[usize::from(step).min(SCALE.len() - 1)], false),
            _ => return Style::new(),
        };
        let (ground, ink) = (self.colour(ground), self.colour(ink_on(ground)));
        let style = Style::new().bg_color(Some(ground)).fg_color(Some(ink));
        if bold { style.bold() } else { style }
    }

    fn colour(self, (r, g, b): (u8, u8, u8)) -> Color {
        match self {
            Self::True => RgbColor(r, g, b).into(),
            Self::Indexed => Ansi256Color(nearest((r, g, b))).into(),
        }
    }
}

/// The nearest of the 240 indexed colours that are the same in every terminal: a cube of six by six
/// by six, and 24 greys.
fn nearest(colour: (u8, u8, u8)) -> u8 {
    let shown = |index: u8| match index {
        232.. => [8 + 10 * (index - 232); 3],
        _ => [36, 6, 1]
            .map(|weight| [0, 95, 135, 175, 215, 255][usize::from((index - 16) / weight % 6)]),
    };
    let distance = |index: &u8| -> u32 {
        let [r, g, b] = shown(*index);
        let parts = [(r, colour.0), (g, colour.1), (b, colour.2)];
        parts.iter().map(|(one, other)| u32::from(one.abs_diff(*other)).pow(2)).sum()
    };
    (16..=255).min_by_key(distance).unwrap_or(16)
}

/// From pale to warm to deep; the first step is an empty cell's.
const SCALE: [(u8, u8, u8); 16] = [
    (110, 104, 96),
    (238, 228, 218),
    (237, 224, 200),
    (242, 177, 121),
    (245, 149, 99),
    (246, 124, 95),
    (246, 94, 59),
    (237, 207, 114),
    (237, 204, 97),
    (237, 200, 80),
    (237, 197, 63),
    (237, 194, 46),
    (120, 190, 110),
    (60, 160, 120),
    (50, 120, 170),
    (90, 80, 180),
];

/// Black or white, whichever is told better from the ground.
fn ink_on((r, g, b): (u8, u8, u8)) -> (u8, u8, u8) {
    let light = 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
    if light > 140_000 { (0, 0, 0) } else { (255, 255, 255) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_and_ink_are_given_together() {
        let tones = (0..16).map(Tone::Step).chain([Tone::First, Tone::Second, Tone::Marked]);
        for tone in tones {
            for palette in [Palette::True, Palette::Indexed] {
                let style = palette.style(tone);
                let (ground, ink) = (style.get_bg_color(), style.get_fg_color());
                assert!(ground.is_some() && ink.is_some() && ground != ink, "{tone:?}");
            }
        }
        assert_eq!(Palette::True.style(Tone::Plain), Style::new());
    }

    #[test]
    fn indexed_colours_are_near() {
        for (colour, index) in [
            ((0, 0, 0), 16),
            ((255, 255, 255), 231),
            ((95, 135, 255), 69),
            ((8, 8, 8), 232),
            ((238, 238, 238), 255),
            ((250, 4, 4), 196),
        ] {
            assert_eq!(nearest(colour), index, "{colour:?}");
        }
    }

    #[test]
    fn pieces_end_their_own_colours() {
        let style = Palette::Indexed.style(Tone::Marked);
        let text = paint("7b", style);
        assert!(text.starts_with("\u{1b}[") && text.ends_with("7b\u{1b}[0m"), "{text:?}");
        assert_eq!(paint("7b", Style::new()), "7b");
    }
}
