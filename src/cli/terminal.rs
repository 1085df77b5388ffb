//! A person at the program: keys and a screen on a terminal, words line by line elsewhere.
//!
//! Threads read the keys or the lines and do what takes long, so that whoever waits here always
//! hears of Ctrl-C and of a polite kill, and leaves the terminal as it was.

use std::fmt::Display;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{cursor, execute, queue, style};

use super::signals::{LOOK_EVERY, patient_stop_flag, unless_stopped};
use super::{Failure, complain};

/// Where a person sits.
pub struct Console {
    input: Receiver<Input>,
    stop: Arc<AtomicBool>,
    screen: Option<Screen>,
    /// What is wrong with what was done last, on a screen.
    complaint: Option<String>,
    /// Whether a line could not be read that nobody typed at a terminal.
    unreadable: bool,
}

/// What a person does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Presses a key, on a screen.
    Key(KeyCode),
    /// Gives the window another size.
    Resized,
    /// Types a line, without a screen: its words.
    Line(Vec<String>),
    /// Will not type any more.
    End,
}

/// What a person may ask for in any game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// What every move is worth.
    Hint,
    /// To take the last move back.
    Undo,
    /// To leave.
    Quit,
}

impl Request {
    /// What a key asks for.
    pub fn of_key(key: KeyCode) -> Option<Self> {
        match key {
            KeyCode::Char('h' | '?') => Some(Self::Hint),
            KeyCode::Char('u') | KeyCode::Backspace => Some(Self::Undo),
            KeyCode::Char('q') | KeyCode::Esc => Some(Self::Quit),
            _ => None,
        }
    }

    /// What a word asks for.
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            "hint" | "h" | "?" => Some(Self::Hint),
            "undo" | "u" => Some(Self::Undo),
            "quit" | "q" => Some(Self::Quit),
            _ => None,
        }
    }
}

/// Whether there is a terminal to draw on and to read keys from.
pub fn is_there() -> bool {
    let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    io::stdout().is_terminal() && io::stdin().is_terminal() && !dumb
}

impl Console {
    /// Opens a screen where there is a terminal; otherwise lines are read.
    pub fn open() -> Result<Self, Failure> {
        let stop = patient_stop_flag()?;
        let (sender, input) = channel();
        let screen = if is_there() {
            let screen = Screen::open()?;
            let stop = Arc::clone(&stop);
            thread::spawn(move || read_keys(&sender, &stop));
            Some(screen)
        } else {
            thread::spawn(move || read_lines(&sender));
            None
        };
        Ok(Self { input, stop, screen, complaint: None, unreadable: false })
    }

    /// Whether there is a screen.
    pub fn has_screen(&self) -> bool {
        self.screen.is_some()
    }

    /// Says what is wrong with what the person did: on the screen, with its next drawing.
    pub fn complain(&mut self, complaint: String) {
        if self.has_screen() {
            self.complaint = Some(complaint);
        } else {
            complain(complaint);
            self.unreadable |= !io::stdin().is_terminal();
        }
    }

    /// What is to be said on the screen.
    pub fn complaint(&self) -> Option<String> {
        self.complaint.clone()
    }

    /// Leaves the terminal as it was.
    ///
    /// # Errors
    /// When what a script typed could not be read; it has been complained about.
    pub fn close(self) -> Result<(), Failure> {
        if self.unreadable { Err(Failure::Reported(2)) } else { Ok(()) }
    }

    /// What the person does next.
    pub fn next(&mut self) -> Result<Input, Failure> {
        loop {
            if let Some(input) = self.next_within(Duration::MAX)? {
                self.complaint = None;
                return Ok(input);
            }
        }
    }

    /// What the person does within a time, if anything.
    pub fn next_within(&self, time: Duration) -> Result<Option<Input>, Failure> {
        let start = Instant::now();
        loop {
            self.check()?;
            let left = time.saturating_sub(start.elapsed());
            match self.input.recv_timeout(left.min(LOOK_EVERY)) {
                Ok(input) => return Ok(Some(input)),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Some(Input::End)),
            }
        }
    }

    /// Does something that may take long.
    pub fn wait_for<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        unless_stopped(&self.stop, Duration::ZERO, work)
    }

    fn check(&self) -> Result<(), Failure> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(Failure::Stopped("stopped".into())),
            false => Ok(()),
        }
    }

    /// Draws lines from the top, as many as there is room for. The terminal cuts off what is too
    /// long.
    pub fn draw(&self, lines: &[String]) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let (_, height) = terminal::size()?;
        // What is there is written over: to clear it all would flicker.
        queue!(out, BeginSynchronizedUpdate)?;
        for (row, line) in (0..height).zip(lines) {
            let clear = Clear(ClearType::UntilNewLine);
            queue!(out, cursor::MoveTo(0, row), style::Print(line), clear)?;
        }
        if lines.len() < height.into() {
            queue!(out, cursor::MoveTo(0, lines.len() as u16), Clear(ClearType::FromCursorDown))?;
        }
        queue!(out, EndSynchronizedUpdate)?;
        Ok(out.flush()?)
    }

    /// Columns and rows of the window.
    pub fn size(&self) -> Result<(u16, u16), Failure> {
        Ok(terminal::size()?)
    }
}

/// A failure that a person or a signal asked for, with how far the game had come.
pub fn stopped_after(failure: Failure, how_far: impl Display) -> Failure {
    match failure {
        Failure::Stopped(_) => failure.with_hint(format!(" after {how_far}")),
        failure => failure,
    }
}

fn read_keys(sender: &Sender<Input>, stop: &AtomicBool) {
    while let Ok(event) = crossterm::event::read() {
        let input = match event {
            Event::Resize(..) => Input::Resized,
            Event::Key(KeyEvent { code, modifiers, kind: KeyEventKind::Press, .. }) => {
                if code == KeyCode::Char('c') && modifiers.contains(KeyModifiers::CONTROL) {
                    stop.store(true, Ordering::Relaxed);
                }
                Input::Key(code)
            }
            _ => continue,
        };
        if sender.send(input).is_err() {
            return;
        }
    }
}

/// More bytes than any line of words takes; one without end must not fill the memory.
const LONGEST_LINE: u64 = 10_000;

fn read_lines(sender: &Sender<Input>) {
    let mut stdin = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        match stdin.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&line);
        let words = line.split_whitespace().map(str::to_owned).collect();
        if sender.send(Input::Line(words)).is_err() {
            return;
        }
    }
}

/// The terminal while there is something to draw on it; as it was before when this is dropped, and
/// before a panic says why.
struct Screen;

/// Whether there is a screen to be left: to leave it twice would put the cursor on top of a message.
static OPEN: AtomicBool = AtomicBool::new(false);

impl Screen {
    fn open() -> io::Result<Self> {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |panicked| {
            restore();
            report(panicked);
        }));
        terminal::enable_raw_mode()?;
        OPEN.store(true, Ordering::Relaxed);
        let screen = Self;
        execute!(io::stdout(), EnterAlternateScreen, DisableLineWrap, cursor::Hide)?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Nobody may be there any more: what fails here fails unheard.
fn restore() {
    if !OPEN.swap(false, Ordering::Relaxed) {
        return;
    }
    let mut out = io::stdout();
    _ = execute!(out, style::ResetColor, cursor::Show, EnableLineWrap, LeaveAlternateScreen);
    _ = terminal::disable_raw_mode();
}
