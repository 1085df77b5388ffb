//! Boards as SVG: shapes with classes, which the style sheet colours, and words for who cannot see them.

use std::fmt::Write as _;

use endtable::games::{Arrow, Drawing, Ground, Piece, Place, Shape, Tone};

/// The side of a place, and the space between two, in the units of the drawing.
const SIDE: usize = 100;
const GAP: usize = 10;

/// The space around the places: for the names of rows and columns, and for arrows.
const MARGIN: usize = 34;

/// Where the moves of places lead to.
pub type Href<'a> = &'a dyn Fn(&str) -> Option<&'a str>;

/// A drawing as an SVG element. A place whose moves lead somewhere is a link. Without a title it is mere
/// decoration, which is not read out.
pub fn svg(drawing: &Drawing, title: Option<&str>, href: Href<'_>) -> String {
    let (rows, columns) = (drawing.rows.len(), drawing.columns());
    let extent = |places: usize| places * (SIDE + GAP) - GAP + 2 * MARGIN;
    let (width, height) = (extent(columns), extent(rows));
    let mut svg = String::with_capacity(8 * 1024);
    _ = write!(svg, r#"<svg class="board" viewBox="0 0 {width} {height}""#);
    if let Some(title) = title {
        // What is a picture has no parts for who cannot see it, and links are parts.
        let linked = drawing.rows.iter().flatten().flat_map(|it| it.moves.first());
        let role = if linked.filter_map(|mv| href(mv)).next().is_some() { "group" } else { "img" };
        _ = write!(
            svg,
            r#" role="{role}" aria-labelledby="board-title board-words"><title id="board-title">{}</title><desc id="board-words">{}</desc>"#,
            Escaped(title),
            Escaped(&drawing.words())
        );
    } else {
        svg += r#" aria-hidden="true">"#;
    }
    let inside = MARGIN - GAP / 2;
    _ = write!(
        svg,
        r#"<rect class="ground" x="{inside}" y="{inside}" width="{}" height="{}" rx="14"/>"#,
        width - 2 * inside,
        height - 2 * inside
    );
    for (row, places) in drawing.rows.iter().enumerate() {
        for (column, place) in places.iter().enumerate() {
            let target = place.moves.first().and_then(|mv| Some((mv, href(mv)?)));
            if let Some((mv, target)) = &target {
                _ = write!(
                    svg,
                    r#"<a href="{}" class="target" aria-label="{}">"#,
                    Escaped(target),
                    Escaped(mv)
                );
            }
            draw_place(&mut svg, place, corner(column), corner(row));
            if target.is_some() {
                svg += "</a>";
            }
        }
    }
    draw_names(&mut svg, drawing, height);
    match drawing.arrow {
        Some(Arrow::Step { from, to }) => draw_step(&mut svg, from, to),
        Some(Arrow::Slide { down, right }) => draw_slide(&mut svg, down, right, width, height),
        _ => {}
    }
    svg + "</svg>"
}

/// Where a row or a column begins.
fn corner(number: usize) -> usize {
    MARGIN + number * (SIDE + GAP)
}

/// The middle of a row or a column.
fn middle(number: usize) -> f64 {
    (corner(number) + SIDE / 2) as f64
}

fn draw_place(svg: &mut String, place: &Place, x: usize, y: usize) {
    let marked = if place.marked { " marked" } else { "" };
    *svg += r#"<rect class="place"#;
    match place.ground {
        Ground::Square { dark: true } => *svg += " square dark",
        Ground::Square { dark: false } => *svg += " square",
        Ground::Card => *svg += " card-face",
        Ground::Gap => *svg += " gap",
        Ground::Tile(step) => _ = write!(svg, " tile step-{step}"),
        _ => {}
    }
    *svg += marked;
    _ = write!(svg, r#"" x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" rx="9"/>"#);
    if !place.name.is_empty() {
        let (x, y) = (x + SIDE - 8, y + SIDE - 9);
        _ = write!(svg, r#"<text class="name" x="{x}" y="{y}">{}</text>"#, Escaped(&place.name));
    }
    draw_text(svg, place, x, y);
    draw_pieces(svg, &place.pieces, x as f64, y as f64);
}

/// What is written on a place: in the middle, or in a corner if something stands there.
fn draw_text(svg: &mut String, place: &Place, x: usize, y: usize) {
    if place.text.is_empty() {
        return;
    }
    let text = Escaped(&place.text);
    let size = match place.text.len() {
        _ if !place.pieces.is_empty() => 26,
        1 => 46,
        2 => 42,
        3 => 36,
        4 => 30,
        5 => 25,
        _ => 21,
    };
    let (x, y) = match place.pieces.is_empty() {
        true => (x + SIDE / 2, y + SIDE / 2 + size * 7 / 20),
        false => (x + 17, y + 31),
    };
    *svg += r#"<text class="ink"#;
    if let Ground::Tile(step) = place.ground {
        _ = write!(svg, " step-{step}");
    }
    _ = write!(svg, r#"" x="{x}" y="{y}" font-size="{size}">{text}</text>"#);
}

/// How far the stones of a stack are apart, and how high a stack may look.
const LAYER: f64 = 9.0;
const HIGHEST: f64 = 34.0;

/// Pieces from the bottom, each a little above the one below it.
fn draw_pieces(svg: &mut String, pieces: &[Piece], x: f64, y: f64) {
    let layer = LAYER.min(HIGHEST / (pieces.len().max(2) - 1) as f64);
    let lift = layer * (pieces.len().max(1) - 1) as f64 / 2.0;
    for (number, piece) in pieces.iter().enumerate() {
        let tone = if piece.tone == Tone::Second { "second" } else { "first" };
        let (x, y) = (x + 50.0, y + 50.0 + lift - layer * number as f64);
        _ = match piece.shape {
            Shape::Pawn => write!(
                svg,
                r#"<path class="piece pawn {tone}" d="M{x} {} m-20 0 h40 c0 -12 -10 -14 -11 -26 a14 14 0 1 0 -18 0 c-1 12 -11 14 -11 26 z"/>"#,
                y + 34.0
            ),
            Shape::Wall => write!(
                svg,
                r#"<rect class="piece stone {tone}" x="{}" y="{}" width="20" height="72" rx="4" transform="rotate(45 {x} {y})"/>"#,
                x - 10.0,
                y - 36.0
            ),
            Shape::Capstone => {
                write!(
                    svg,
                    r#"<circle class="piece stone {tone}" cx="{x}" cy="{y}" r="24"/><circle class="piece stone {tone} cap" cx="{x}" cy="{y}" r="11"/>"#
                )
            }
            _ => write!(
                svg,
                r#"<rect class="piece stone {tone}" x="{}" y="{}" width="60" height="60" rx="7"/>"#,
                x - 30.0,
                y - 30.0
            ),
        };
    }
}

/// What rows and columns are called, at the left and below.
fn draw_names(svg: &mut String, drawing: &Drawing, height: usize) {
    for (number, name) in drawing.row_names.iter().enumerate() {
        let y = middle(number) + 6.0;
        _ = write!(svg, r#"<text class="axis" x="15" y="{y}">{}</text>"#, Escaped(name));
    }
    for (number, name) in drawing.column_names.iter().enumerate() {
        let (x, y) = (middle(number), height - 9);
        _ = write!(svg, r#"<text class="axis" x="{x}" y="{y}">{}</text>"#, Escaped(name));
    }
}

/// An arrow from one place to another, which leaves the middle of both free.
fn draw_step(svg: &mut String, from: (usize, usize), to: (usize, usize)) {
    let (x1, y1) = (middle(from.1), middle(from.0));
    let (x2, y2) = (middle(to.1), middle(to.0));
    let length = (x2 - x1).hypot(y2 - y1).max(1.0);
    let (dx, dy) = ((x2 - x1) / length, (y2 - y1) / length);
    // Whole units are fine enough, and quickly written.
    let along = |way: f64, aside: f64| {
        let (x, y) = (x1 + dx * way - dy * aside, y1 + dy * way + dx * aside);
        (x.round() as i64, y.round() as i64)
    };
    let ((bx, by), (ex, ey)) = (along(40.0, 0.0), along(length - 38.0, 0.0));
    let ((tx, ty), (lx, ly), (rx, ry)) =
        (along(length - 22.0, 0.0), along(length - 42.0, 12.0), along(length - 42.0, -12.0));
    _ = write!(
        svg,
        r#"<path class="arrow" d="M{bx} {by} L{ex} {ey}"/><path class="arrow-head" d="M{tx} {ty} L{lx} {ly} L{rx} {ry} z"/>"#
    );
}

/// An arrow head outside of the edge to which everything goes.
fn draw_slide(svg: &mut String, down: i8, right: i8, width: usize, height: usize) {
    let (width, height) = (width as f64, height as f64);
    let (x, y) = match (down, right) {
        (-1, _) => (width / 2.0, 14.0),
        (1, _) => (width / 2.0, height - 14.0),
        (_, -1) => (14.0, height / 2.0),
        _ => (width - 14.0, height / 2.0),
    };
    let (dx, dy) = (f64::from(right) * 10.0, f64::from(down) * 10.0);
    _ = write!(
        svg,
        r#"<path class="arrow-head" d="M{} {} L{} {} L{} {} z"/>"#,
        x + dx,
        y + dy,
        x - dx - 2.2 * dy,
        y - dy - 2.2 * dx,
        x - dx + 2.2 * dy,
        y - dy + 2.2 * dx
    );
}

/// A text inside an element or an attribute.
struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut rest = self.0;
        while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
            f.write_str(&rest[..at])?;
            write!(f, "&#{};", rest.as_bytes()[at])?;
            rest = &rest[at + 1..];
        }
        f.write_str(rest)
    }
}
