//! Learns the weights of the heuristic `strong` and packs them. See README.md for the recipe.

mod late;
mod learner;
mod network;
mod pack;
mod pairs;
mod pattern;
mod whole;

use std::io;
use std::path::{Path, PathBuf};
use std::thread;

use clap::Parser;
use endtable::games::twenty48::{Board, Heuristic, PlayedGame, Record};
use late::Late;
use learner::Learner;
use network::Network;
use pack::Weights;
use whole::Whole;

/// How many moves are played from one report to the next.
const REPORT: u64 = 50_000_000;

/// How many moves are played from one time the network is written to the next.
const SAVE: u64 = 2 * REPORT;

/// How many moves are played to see which errors packed weights meet.
const NOTED: u64 = 20_000_000;

#[derive(Parser)]
#[command(about = "Learns and packs the weights of the heuristic strong for 2048")]
enum Command {
    /// Learn whole games by playing
    Learn {
        /// Go on from this network
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// Begin half of the games with boards of these recorded games that have a 16384
        #[arg(long, value_name = "GAMES")]
        games: Option<PathBuf>,
        #[command(flatten)]
        playing: Playing,
        /// How many moves to play, and the rest of the last games
        #[arg(long)]
        moves: u64,
    },
    /// Learn late boards, those near a 32768, by playing
    LearnLate {
        /// The network that has learned whole games
        #[arg(long, value_name = "FILE")]
        from: PathBuf,
        /// Go on from this network of late boards, with all rungs from the beginning
        #[arg(long, value_name = "FILE")]
        late: Option<PathBuf>,
        /// Begin games with boards of these recorded games
        #[arg(long, value_name = "GAMES")]
        games: PathBuf,
        #[command(flatten)]
        playing: Playing,
        /// How many moves to play, and the rest of the last games
        #[arg(long)]
        moves: u64,
    },
    /// Make a network of packed weights, to learn on from it
    ///
    /// What each weight has seen is not in the file. It is estimated by games in which no weight changes.
    Unpack {
        /// The packed weights
        #[arg(long, value_name = "FILE")]
        weights: PathBuf,
        /// Unpack the network of late boards, given the one that has learned whole games
        #[arg(long, value_name = "FILE", requires = "games")]
        late_of: Option<PathBuf>,
        /// Begin games of late boards with boards of these recorded games
        #[arg(long, value_name = "GAMES", requires = "late_of")]
        games: Option<PathBuf>,
        /// How many moves the weights have learned from
        #[arg(long)]
        seen: u64,
        /// Weights of six cells had seen errors of so much in all to be packed
        #[arg(long, default_value_t = 600_000.0)]
        evidence: f32,
        #[command(flatten)]
        playing: Playing,
    },
    /// Pack networks into a file of weights
    Pack {
        /// The network that has learned whole games
        #[arg(long, value_name = "FILE")]
        net: PathBuf,
        /// The network that has learned late boards; without it the other values these, too
        #[arg(long, value_name = "FILE")]
        late: Option<PathBuf>,
        /// Where to write the weights
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// How many points a weight of 1 is worth, a power of two
        #[arg(long, default_value_t = 32.0)]
        scale: f32,
        /// Leave out weights of six cells that have seen errors of less than this in all
        #[arg(long, default_value_t = 600_000.0)]
        evidence: f32,
        /// Leave out weights of whole pairs that have seen errors of less than this in all
        #[arg(long, default_value_t = 100_000.0)]
        pair_evidence: f32,
    },
}

/// How games are played to learn from, and where the network goes.
#[derive(clap::Args)]
struct Playing {
    /// The seed of all new tiles: of the first thread, each other has one more
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many threads learn, without locks: only one alone gives the same network again
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=64))]
    threads: u64,
    /// Where to write the network, every 100 million moves and at the end
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Something that learns by playing.
trait Trainer: Sized {
    /// Plays a game and learns from it.
    fn game(&mut self);

    /// How many moves it has learned from.
    fn moves(&self) -> u64;

    /// How games of this one and the others went since the last report.
    fn report(&mut self, others: &mut [Self]) -> String;
}

fn main() -> io::Result<()> {
    match Command::parse() {
        Command::Learn { from, games, playing, moves } => {
            let network = match from {
                Some(path) => Network::read(&path)?,
                None => Network::new()?,
            };
            let recorded = games.map_or(Ok(Vec::new()), |path| recorded_boards(&path))?;
            learn(&network, &recorded, &playing, moves)
        }
        Command::LearnLate { from, late, games, playing, moves } => {
            let whole = Network::read(&from)?;
            let recorded = recorded_boards(&games)?;
            let (network, first) = match late {
                Some(late) => (Network::read(&late)?, late::FEWEST),
                None => (whole.for_late_boards()?, late::FIRST),
            };
            learn_late(&network, &whole, &recorded, first, &playing, moves)
        }
        Command::Unpack { weights, late_of, games, seen, evidence, playing } => {
            let mut packed = pack::unpacked(&std::fs::read(weights)?)?.into_iter();
            let missing = || io::Error::other("no such network in the packed weights");
            let first = packed.next().ok_or_else(missing)?;
            let mut network = match late_of.zip(games) {
                None => {
                    let network = Network::packed(&first)?;
                    learn(&network, &[], &playing, NOTED)?;
                    network
                }
                Some((whole, games)) => {
                    let network = Network::packed(&packed.next().ok_or_else(missing)?)?;
                    let (whole, recorded) = (Network::read(&whole)?, recorded_boards(&games)?);
                    learn_late(&network, &whole, &recorded, late::FEWEST, &playing, NOTED)?;
                    network
                }
            };
            network.resume(seen as f32 / NOTED as f32, evidence);
            network.write(&playing.out)
        }
        Command::Pack { net, late, out, scale, evidence, pair_evidence } => {
            let mut file = Vec::new();
            for net in [Some(net), late].into_iter().flatten() {
                let network = Network::read(&net)?;
                let weights = Weights::quantised(&network, scale, evidence, pair_evidence);
                let packed = weights.packed(scale)?;
                println!("{} weights, {} bytes", weights.count(), packed.len());
                file.extend(packed);
            }
            std::fs::write(out, file)
        }
    }
}

fn strong() -> io::Result<Heuristic> {
    "strong".parse().map_err(io::Error::other)
}

/// Learns whole games; half of them begin with recorded boards, if there are any.
fn learn(network: &Network, recorded: &[Board], playing: &Playing, moves: u64) -> io::Result<()> {
    let learner = |number| Learner::new(network, playing.seed + number);
    let whole = |number| Ok(Whole::new(learner(number), strong()?, recorded));
    let trainers = (0..playing.threads).map(whole).collect::<io::Result<_>>()?;
    train(network, trainers, moves, &playing.out)
}

/// Learns late boards, at first those with so many rungs.
fn learn_late(
    network: &Network,
    whole: &Network,
    recorded: &[Board],
    first: usize,
    playing: &Playing,
    moves: u64,
) -> io::Result<()> {
    let late = |number| {
        let learner = Learner::new(network, playing.seed + number);
        Late::new(whole, learner, strong()?, recorded, first, playing.threads)
    };
    let trainers = (0..playing.threads).map(late).collect::<io::Result<_>>()?;
    train(network, trainers, moves, &playing.out)
}

/// Learns for so many moves, a thread for each trainer.
fn train<T: Trainer + Send>(
    network: &Network,
    mut trainers: Vec<T>,
    moves: u64,
    out: &Path,
) -> io::Result<()> {
    let threads = trainers.len() as u64;
    let (mut reported, mut learned) = (0, 0);
    while learned < moves {
        let due = (reported / REPORT * REPORT + REPORT).min(moves).div_ceil(threads);
        thread::scope(|scope| {
            for trainer in &mut trainers {
                scope.spawn(move || {
                    while trainer.moves() < due {
                        trainer.game();
                    }
                });
            }
        });
        learned = trainers.iter().map(Trainer::moves).sum();
        if let [first, others @ ..] = &mut trainers[..] {
            println!("{learned} moves{}", first.report(others));
        }
        if learned / SAVE > reported / SAVE {
            network.write(out)?;
        }
        reported = learned;
    }
    network.write(out)
}

/// The boards of recorded games with a 16384, but for the last of each game.
fn recorded_boards(path: &Path) -> io::Result<Vec<Board>> {
    let mut boards = Vec::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let record: Record = line.parse().map_err(io::Error::other)?;
        let mut game = PlayedGame::new(record.seed, record.size);
        for direction in record.moves {
            // The networks are of tiles that nybbles hold.
            if let Some(board) = game.board().small().filter(|board| board.highest() >= 14) {
                boards.push(board);
            }
            game.play(direction);
        }
    }
    if boards.is_empty() {
        return Err(io::Error::other("no board with a 16384 in the recorded games"));
    }
    Ok(boards)
}
