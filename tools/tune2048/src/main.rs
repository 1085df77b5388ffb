//! Learns the weights of the heuristic `strong` and packs them. See README.md for the recipe.

mod network;
mod pack;
mod pattern;
mod train;

use std::io;
use std::path::PathBuf;

use clap::Parser;
use network::{Learned, Network};
use train::Trainer;

#[derive(Parser)]
#[command(about = "Learns and packs the weights of the heuristic strong for 2048")]
enum Command {
    /// Learn by playing
    Learn {
        /// Where to write the network
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Go on from this network
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// The seed of all new tiles
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How many moves to play, and the rest of the last game
        #[arg(long, default_value_t = 590_000_000)]
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
        #[arg(long, default_value_t = 64.0)]
        scale: f32,
        /// Leave out weights that have seen errors of less than this in all
        #[arg(long, default_value_t = 250_000.0)]
        evidence: f32,
    },
}

fn main() -> io::Result<()> {
    match Command::parse() {
        Command::Learn { out, from, seed, moves } => {
            let network = match from {
                Some(path) => Network::continued(&Learned::read(&path)?)?,
                None => Network::new()?,
            };
            let mut trainer = Trainer::new(network, seed);
            while trainer.moves < moves {
                let due = (trainer.moves + moves.div_ceil(100)).min(moves);
                while trainer.moves < due {
                    trainer.game();
                }
                println!("{} moves: {}", trainer.moves, std::mem::take(&mut trainer.report));
            }
            trainer.network.write(&out)
        }
        Command::Pack { net, out, scale, evidence } => {
            let weights = pack::quantised(&Learned::read(&net)?, scale, evidence);
            let packed = pack::packed(&weights, scale)?;
            let count = weights.iter().filter(|&&weight| weight != 0).count();
            println!("{count} weights, {} bytes", packed.len());
            std::fs::write(out, packed)
        }
    }
}
