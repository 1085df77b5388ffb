//! A game of 2048 in the terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, poll, read};
use crossterm::style::{Color, Print, ResetColor, SetBackgroundColor, SetForegroundColor};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute, queue};
use endtable::games::twenty48::{Board, Direction, PlayedGame, Record, Size};

use crate::cli::Failure;
use crate::cli::output::say;
use crate::cli::signals::stop_flag;

/// What is shown.
pub enum Watched<'a> {
    /// A game that is being played.
    Live {
        seed: u64,
        size: Size,
        choose: &'a (dyn Fn(Board) -> Result<Option<Direction>, Failure> + Sync),
    },
    /// A game that was recorded.
    Recorded(Record),
}

impl Watched<'_> {
    fn game(&self) -> PlayedGame {
        match self {
            Self::Live { seed, size, .. } => PlayedGame::new(*seed, *size),
            Self::Recorded(record) => PlayedGame::new(record.seed, record.size),
        }
    }

    fn next(&self, game: &PlayedGame) -> Result<Option<Direction>, Failure> {
        match self {
            Self::Live { choose, .. } => choose(game.board()),
            Self::Recorded(record) => Ok(record.moves.get(game.record().moves.len()).copied()),
        }
    }
}

/// Shows a game in the terminal. A recorded one is listed where there is no terminal.
pub fn watch(watched: &Watched<'_>) -> Result<(), Failure> {
    if io::stdout().is_terminal() && io::stdin().is_terminal() {
        let screen = Screen::open()?;
        let game = show(watched)?;
        drop(screen);
        return say(last_line(&game));
    }
    match watched {
        Watched::Live { .. } => Err(Failure::input("--watch: standard output is no terminal")),
        Watched::Recorded(_) => list(watched),
    }
}

fn last_line(game: &PlayedGame) -> String {
    let (board, score) = (game.board(), game.score());
    let over = if board.is_over(game.record().size) { ", over" } else { "" };
    format!(
        "{} moves, score {score}, highest {}{over}",
        game.record().moves.len(),
        1u32 << board.highest()
    )
}

/// One line a move: the move, the board after it and the new tile, the score.
fn list(watched: &Watched<'_>) -> Result<(), Failure> {
    let mut game = watched.game();
    let mut out = io::BufWriter::new(io::stdout().lock());
    writeln!(out, "start {} 0", game.board())?;
    while let Some(direction) = watched.next(&game)? {
        game.play(direction);
        writeln!(out, "{} {} {}", direction.name(), game.board(), game.score())?;
    }
    Ok(out.flush()?)
}

/// The terminal while a game is shown; as it was before when this is dropped.
struct Screen;

impl Screen {
    fn open() -> io::Result<Self> {
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen, Clear(ClearType::All), cursor::Hide)?;
        Ok(Self)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        _ = execute!(io::stdout(), ResetColor, cursor::Show, LeaveAlternateScreen);
        _ = disable_raw_mode();
    }
}

/// Plays at the speed that the keys ask for, until the game is over or q is pressed. Ctrl-C, or a polite
/// kill, is no quiet end.
fn show(watched: &Watched<'_>) -> Result<PlayedGame, Failure> {
    let stop = stop_flag()?;
    let mut game = watched.game();
    let mut pace = Pace { delay: Duration::from_millis(66), paused: false };
    loop {
        let next = watched.next(&game)?;
        draw(&game, &pace, next.is_none())?;
        let shown = Instant::now();
        loop {
            let waits = next.is_none() || pace.paused;
            let left = pace.delay.saturating_sub(shown.elapsed());
            if left.is_zero() && !waits && !poll(Duration::ZERO)? {
                break;
            }
            // No longer than a signal may wait.
            let patience = Duration::from_millis(100);
            let event = if poll(if waits { patience } else { left.min(patience) })? {
                pressed(&read()?)
            } else {
                None
            };
            if stop.load(Ordering::Relaxed) || matches!(event, Some(Key::Stop)) {
                return Err(Failure::Stopped(format!("stopped after {}", last_line(&game))));
            }
            match event {
                Some(Key::Clear) => execute!(io::stdout(), Clear(ClearType::All))?,
                Some(Key::Quit) => return Ok(game),
                Some(Key::Step) if pace.paused => break,
                Some(key) => pace.press(key),
                None => continue,
            }
            draw(&game, &pace, next.is_none())?;
        }
        if let Some(direction) = next {
            game.play(direction);
        }
    }
}

struct Pace {
    delay: Duration,
    paused: bool,
}

impl Pace {
    fn press(&mut self, key: Key) {
        match key {
            Key::Pause => self.paused = !self.paused,
            Key::Faster => self.delay = (self.delay / 2).max(Duration::from_millis(1)),
            Key::Slower => self.delay = (self.delay * 2).min(Duration::from_secs(4)),
            Key::Step | Key::Quit | Key::Stop | Key::Clear => {}
        }
    }
}

#[derive(Clone, Copy)]
enum Key {
    Pause,
    Faster,
    Slower,
    Step,
    Quit,
    Stop,
    /// The window has another size.
    Clear,
}

fn pressed(event: &Event) -> Option<Key> {
    if let Event::Resize(..) = event {
        return Some(Key::Clear);
    }
    let Event::Key(KeyEvent { code, modifiers, kind: KeyEventKind::Press, .. }) = event else {
        return None;
    };
    match code {
        KeyCode::Char('c') if modifiers.contains(KeyModifiers::CONTROL) => Some(Key::Stop),
        KeyCode::Char('q') | KeyCode::Esc => Some(Key::Quit),
        KeyCode::Char(' ' | 'p') => Some(Key::Pause),
        KeyCode::Char('+' | '=') | KeyCode::Up => Some(Key::Faster),
        KeyCode::Char('-') | KeyCode::Down => Some(Key::Slower),
        KeyCode::Char('n') | KeyCode::Right => Some(Key::Step),
        _ => None,
    }
}

fn draw(game: &PlayedGame, pace: &Pace, over: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let size = game.record().size;
    let (width, height) = terminal::size()?;
    // Tiles in large where there is room, else a line for each row.
    let (tile_width, tile_height) =
        if width >= 8 * u16::from(size.columns()) && height >= 5 + 3 * u16::from(size.rows()) {
            (7, 3)
        } else {
            (5, 1)
        };
    let state = match (over, pace.paused) {
        (true, _) => "over".into(),
        (false, true) => "paused".into(),
        (false, false) => format!("{} ms a move", pace.delay.as_millis()),
    };
    let below = 2 + tile_height * u16::from(size.rows());
    let texts = [
        (0, format!("score {}   move {}", game.score(), game.record().moves.len())),
        (below + 1, state),
        (below + 2, "blank: pause   n: step   + -: speed   q: quit".into()),
    ];
    // What is there is written over: to clear it all would flicker.
    queue!(out, BeginSynchronizedUpdate)?;
    for (row, text) in texts.iter().filter(|(row, _)| *row < height) {
        let text: String = text.chars().take(width.into()).collect();
        queue!(out, cursor::MoveTo(0, *row), Print(text), Clear(ClearType::UntilNewLine))?;
    }
    for y in 0..size.rows() {
        for x in 0..size.columns() {
            let exponent = game.board().exponent(x, y);
            let tile = if exponent == 0 { ".".into() } else { (1u32 << exponent).to_string() };
            let left = (tile_width + 1) * u16::from(x);
            queue!(out, SetBackgroundColor(colour(exponent)), SetForegroundColor(ink(exponent)))?;
            for row in 0..tile_height {
                let top = 2 + tile_height * u16::from(y) + row;
                let text = if row == tile_height / 2 { tile.as_str() } else { "" };
                if top < height && left + tile_width <= width {
                    let text = format!("{text:^0$}", usize::from(tile_width));
                    queue!(out, cursor::MoveTo(left, top), Print(text))?;
                }
            }
            queue!(out, ResetColor)?;
        }
    }
    queue!(out, EndSynchronizedUpdate)?;
    out.flush()
}

/// From pale to warm to deep, as in the game.
fn colour(exponent: u8) -> Color {
    const COLOURS: [(u8, u8, u8); 16] = [
        (60, 58, 50),
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
    let (r, g, b) = COLOURS[usize::from(exponent & 15)];
    if std::env::var_os("COLORTERM").is_some() {
        return Color::Rgb { r, g, b };
    }
    // The nearest of the 256 colours that nearly every terminal has: a cube of six by six by six.
    let step = |part: u8| (u16::from(part).saturating_sub(35) / 40) as u8;
    Color::AnsiValue(16 + 36 * step(r) + 6 * step(g) + step(b))
}

fn ink(exponent: u8) -> Color {
    if matches!(exponent, 1 | 2) { Color::Black } else { Color::White }
}
