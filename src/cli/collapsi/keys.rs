//! `endtable keys`: the experiment behind the choice of the key.

use std::fmt::Write as _;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::collapsi::{Board, DEALS, Rules, deal_from_rank};
use endtable::games::key::pair;
use endtable::random::SplitMix64;
use indicatif::HumanBytes;
use rayon::prelude::*;
use serde_json::Value;

use crate::cli::Failure;
use crate::cli::output::say;
use crate::cli::signals::stop_flag;
use crate::json::Object;

/// Show how large paired keys grow, and count collisions of three kinds of key
///
/// Samples random positions (a random deal, then random play of random length) and counts pairs
/// of different ones that share a key: Szudzik pairing folded left and cut to 128 bits, the same
/// as a balanced tree, and the tree folded to 64 bits.
#[derive(clap::Args)]
#[command(after_help = "Example:
  endtable keys --samples 1000000")]
struct Args {
    /// How many positions to sample (about 32 bytes of memory each)
    #[arg(long, default_value_t = 10_000_000, value_name = "N",
        value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    samples: u64,
    /// The seed of the sample
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Print the counts as a JSON object
    #[arg(long)]
    json: bool,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("keys"))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    let stop = stop_flag()?;
    if !args.json {
        say(bits_text())?;
    }
    let mut boards = room_for(args.samples)?;
    sample(&mut boards, args.seed, &stop);
    sort(&mut boards, &stop)?;
    boards.dedup();
    let different = boards.len() as u64;
    if !args.json {
        say(format_args!("{} positions sampled, {different} of them different", args.samples))?;
        say("key                             collisions")?;
    }
    let mut keys = room_for(different)?;
    let mut collisions = Object::new();
    for (id, name, key) in KEYS {
        keys.par_iter_mut().zip(&boards).for_each(|(to, &packed)| {
            if !stop.load(Ordering::Relaxed) {
                *to = key(packed);
            }
        });
        sort(&mut keys, &stop)?;
        let count = keys.par_windows(2).filter(|two| two[0] == two[1]).count();
        collisions.insert(id.into(), count.into());
        if !args.json {
            say(format_args!("{name:<32}{count:>10}"))?;
        }
    }
    if args.json {
        let bits = Object::from_iter([
            ("left_fold".to_owned(), left_fold_bits().to_vec().into()),
            ("tree".to_owned(), tree_bits().to_vec().into()),
        ]);
        say(Value::Object(Object::from_iter([
            ("samples".to_owned(), args.samples.into()),
            ("seed".to_owned(), args.seed.into()),
            ("different".to_owned(), different.into()),
            ("bits".to_owned(), bits.into()),
            ("collisions".to_owned(), collisions.into()),
        ])))?;
    }
    Ok(())
}

/// A kind of key: a name for programs, one for people, and how a packed board becomes one.
type Kind = (&'static str, &'static str, fn(u128) -> u128);

const KEYS: [Kind; 3] = [
    ("left_fold_128", "left fold, cut to 128 bits", left_fold),
    ("tree_128", "tree, 128 bits", |packed| unpack(packed).key().0),
    ("tree_64", "tree folded to 64 bits", |packed| u128::from(unpack(packed).key().fold().0)),
];

/// How large paired keys grow, with each pairing.
fn bits_text() -> String {
    let mut text = String::from("pairing  folded left  as a tree\n");
    for (number, (left, tree)) in left_fold_bits().into_iter().zip(tree_bits()).enumerate() {
        _ = writeln!(text, "{:<9}{left:>6} bits  {tree:>4} bits", number + 1);
    }
    text
}

/// Zeros, as many as samples, or an error: a sample may ask for more memory than there is.
fn room_for(count: u64) -> Result<Vec<u128>, Failure> {
    let bytes = count.saturating_mul(size_of::<u128>() as u64);
    let no_memory = || {
        let message = format!("no memory for {} more; sample fewer positions", HumanBytes(bytes));
        Failure::Io(io::Error::new(ErrorKind::OutOfMemory, message))
    };
    let count = usize::try_from(count).map_err(|_| no_memory())?;
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| no_memory())?;
    list.resize(count, 0);
    Ok(list)
}

/// Sorts numbers, or stops.
fn sort(numbers: &mut [u128], stop: &AtomicBool) -> Result<(), Failure> {
    let is_stopped = || stop.load(Ordering::Relaxed);
    // Once it is stopped all are equal, and the sort is soon over.
    numbers.par_sort_unstable_by(
        |a, b| if is_stopped() { std::cmp::Ordering::Equal } else { a.cmp(b) },
    );
    if is_stopped() {
        return Err(Failure::Stopped("stopped before all collisions were counted".into()));
    }
    Ok(())
}

/// Bits after each of the seven pairings when 16-bit numbers are folded in from the left.
fn left_fold_bits() -> [u32; 7] {
    let mut bits = 16;
    std::array::from_fn(|_| {
        bits = paired_bits(bits, 16);
        bits
    })
}

/// The same for the tree, its pairings in the order in which they are made.
fn tree_bits() -> [u32; 7] {
    let leaf = paired_bits(16, 16);
    let half = paired_bits(leaf, leaf);
    [leaf, leaf, half, leaf, leaf, half, paired_bits(half, half)]
}

/// Bits of the largest pair of an `a`-bit and a `b`-bit number: measured while the numbers can
/// be, then by the larger one's square.
fn paired_bits(a: u32, b: u32) -> u32 {
    if a.max(b) > 64 {
        return 2 * a.max(b);
    }
    let largest = |bits: u32| u64::MAX >> (64 - bits);
    128 - pair(largest(a), largest(b)).leading_zeros()
}

/// Random positions as exact 113-bit numbers: the eight boards side by side. Stopped, it leaves zeros.
fn sample(boards: &mut [u128], seed: u64, stop: &AtomicBool) {
    boards.par_iter_mut().enumerate().for_each(|(number, to)| {
        if !stop.load(Ordering::Relaxed) {
            *to = pack(&random_board(seed ^ (number as u64).wrapping_mul(0x2545_f491_4f6c_dd1d)));
        }
    });
}

/// A random deal, then random play of random length.
fn random_board(seed: u64) -> Board {
    let mut random = SplitMix64::new(seed);
    let rules = Rules::ALL[random.below(2) as usize];
    let deal = random.below(u64::from(DEALS)) as u32;
    let mut board = deal_from_rank(deal).expect("below the number of deals");
    for _ in 0..random.below(15) {
        let moves: Vec<_> = board.moves(rules).collect();
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.below(moves.len() as u64) as usize];
        board = board.play(mv, rules).expect("a generated move is legal");
    }
    board
}

fn pack(board: &Board) -> u128 {
    let (boards, turn) = board.to_raw();
    boards.iter().fold(u128::from(turn), |packed, &board| packed << 16 | u128::from(board))
}

fn unpack(packed: u128) -> Board {
    let boards = std::array::from_fn(|i| (packed >> (16 * (6 - i))) as u16);
    Board::from_raw(boards, (packed >> 112) as u16).expect("packed from a board")
}

/// Szudzik pairing of the eight numbers from the left, whatever does not fit 128 bits cut off.
fn left_fold(packed: u128) -> u128 {
    let (boards, turn) = unpack(packed).to_raw();
    let numbers = boards.into_iter().chain([turn]).map(u128::from);
    numbers
        .reduce(|a, b| {
            if a < b {
                b.wrapping_mul(b).wrapping_add(a)
            } else {
                a.wrapping_mul(a).wrapping_add(a).wrapping_add(b)
            }
        })
        .expect("eight numbers")
}
