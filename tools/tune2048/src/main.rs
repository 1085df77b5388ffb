//! Learns the weights of the heuristic `strong` and packs them. See README.md for the recipe.

mod network;
mod pack;
mod pattern;
mod train;

use std::io;
use std::path::{Path, PathBuf};

use clap::Parser;
use endtable::games::twenty48::{Board, Game, Heuristic, Record};
use network::Network;
use train::Trainer;

/// How many moves are played from one report to the next.
const REPORT: u64 = 50_000_000;

/// How many moves are played from one time the network is written to the next.
const SAVE: u64 = 10 * REPORT;

#[derive(Parser)]
#[command(about = "Learns and packs the weights of the heuristic strong for 2048")]
enum Command {
    /// Learn by playing
    Learn {
        /// Where to write the network, every 500 million moves and at the end
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Go on from this network
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// Begin half of the games with boards of these recorded games that have a 16384
        #[arg(long, value_name = "GAMES")]
        late: Option<PathBuf>,
        /// The seed of all new tiles
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How many moves to play, and the rest of the last game
        #[arg(long)]
        moves: u64,
    },
    /// Pack a network into a file of weights
    Pack {
        /// The network
        #[arg(long, value_name = "FILE")]
        net: PathBuf,
        /// Where to write the weights
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// How many points a weight of 1 is worth, a power of two
        #[arg(long, default_value_t = 32.0)]
        scale: f32,
        /// Leave out weights of six cells that have seen errors of less than this in all
        #[arg(long, default_value_t = 150_000.0)]
        evidence: f32,
    },
}

fn main() -> io::Result<()> {
    match Command::parse() {
        Command::Learn { out, from, late, seed, moves } => {
            let network = match from {
                Some(path) => Network::read(&path)?,
                None => Network::new()?,
            };
            let strong: Heuristic = "strong".parse().map_err(io::Error::other)?;
            let late = late.map_or(Ok(Vec::new()), |path| late_boards(&path, &strong))?;
            let mut trainer = Trainer::new(network, strong, seed, late);
            while trainer.moves < moves {
                let reported = trainer.moves;
                let due = (reported / REPORT * REPORT + REPORT).min(moves);
                while trainer.moves < due {
                    trainer.game();
                }
                println!("{} moves{}", trainer.moves, std::mem::take(&mut trainer.report));
                if trainer.moves / SAVE > reported / SAVE {
                    trainer.network.write(&out)?;
                }
            }
            trainer.network.write(&out)
        }
        Command::Pack { net, out, scale, evidence } => {
            let weights = pack::quantised(&Network::read(&net)?, scale, evidence);
            let packed = pack::packed(&weights, scale)?;
            let count = weights.iter().filter(|&&weight| weight != 0).count();
            println!("{count} weights, {} bytes", packed.len());
            std::fs::write(out, packed)
        }
    }
}

/// The boards of recorded games with a 16384, as a search looks at them, but for the last of each game.
fn late_boards(path: &Path, strong: &Heuristic) -> io::Result<Vec<Board>> {
    let mut boards = Vec::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let record: Record = line.parse().map_err(io::Error::other)?;
        let mut game = Game::new(record.seed, record.size);
        for direction in record.moves {
            if game.board().highest() >= 14 {
                boards.push(strong.familiar(game.board()));
            }
            game.play(direction);
        }
    }
    if boards.is_empty() {
        return Err(io::Error::other("no board with a 16384 in the recorded games"));
    }
    Ok(boards)
}
