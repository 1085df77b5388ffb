//! Addresses of positions: the game, the position in its notation, and the options that read it.

use std::fmt::Write as _;

use endtable::games::{Game, GameError, Position};

/// Adds a name and a value to the part of an address behind the question mark.
pub fn push(address: &mut String, name: &str, value: &str) {
    address.push(if address.contains('?') { '&' } else { '?' });
    escape(address, name);
    address.push('=');
    escape(address, value);
}

/// Blanks as plus signs, and percent signs for what means something in an address; positions stay
/// readable.
fn escape(address: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            b' ' => address.push('+'),
            b'-' | b'.' | b'_' | b'~' | b'/' | b',' | b':' | b'@' => address.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => address.push(byte.into()),
            _ => _ = write!(address, "%{byte:02X}"),
        }
    }
}

/// Few addresses are longer, so that most are put together without being moved.
const USUAL_LENGTH: usize = 96;

/// The address of a position below a path.
pub fn of(path: &str, position: &dyn Position) -> String {
    let mut address = String::with_capacity(USUAL_LENGTH);
    address += path;
    push_position(&mut address, position);
    address
}

/// Adds a position, with the options that read it.
pub fn push_position(address: &mut String, position: &dyn Position) {
    push(address, "position", &position.text());
    for (name, value) in position.options().iter() {
        push(address, name, value.unwrap_or_default());
    }
}

/// The address of a game's explorer.
pub fn explorer(game: &dyn Game) -> String {
    format!("/{}", game.name())
}

/// A position that can be shown, and its address.
pub struct Spot {
    /// The position.
    pub position: Box<dyn Position>,
    /// Its address.
    pub href: String,
}

/// The position after a move, and its address. One where chance moves next has no notation of its own:
/// it is the position before the move, and the move.
///
/// # Errors
/// When the move is not legal.
pub fn after(game: &dyn Game, before: &dyn Position, mv: &str) -> Result<Spot, GameError> {
    let position = before.play(mv)?;
    let path = explorer(game);
    let href = if position.chances().is_empty() {
        of(&path, &*position)
    } else {
        let mut address = of(&path, before);
        push(&mut address, "move", mv);
        address
    };
    Ok(Spot { position, href })
}
