//! What the system does not give: disk, memory, file handles, an end of the input. Each is an error with
//! a sentence and exit code 3, or 2 where the input is to blame; nothing is aborted, nothing left behind.

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use harness::commands::{
    endtable, export_csv, generate_2048, generate_complete, generate_seeds, info, keys, merge,
    play_2048, probe, solve_2048, stats, verify,
};
use harness::process::{Done, Process, shell};
use harness::{folder, lasting_folder};

static TABLE: LazyLock<PathBuf> = LazyLock::new(|| {
    let path = lasting_folder("limits").join("seeds.etb");
    generate_seeds("0..1", &path).run().printed();
    path
});

fn words(mut command: Command, words: &str) -> Command {
    command.words(words);
    command
}

/// A command with its name, which writes to a path if it writes.
type Named = (&'static str, fn(&Path) -> Command);

/// What writes a file, and what it is called.
const WRITERS: &[Named] = &[
    ("merge", |out| merge(&[TABLE.to_str().unwrap()], out)),
    ("export", |out| export_csv(&*TABLE, out)),
    ("stats --svg", |out| {
        let mut stats = words(stats(&*TABLE), "--svg");
        stats.arg(out);
        stats
    }),
    ("generate seeds", |out| generate_seeds("0..1", out)),
    ("generate 2048", |out| generate_2048("2x3", "score", out)),
    ("generate complete", |out| generate_complete(5, out)),
    ("play --record", |out| {
        let mut play = words(play_2048(), "--games 30 --depth 0 --heuristic edges");
        play.arg("--record").arg(out);
        play
    }),
];

#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    for (name, writer) in WRITERS {
        let folder = folder();
        let out = folder.path().join("output");
        // Files of two blocks of 512 bytes.
        let said = shell("ulimit -f 2; exec \"$0\" \"$@\"", &writer(&out)).run();
        assert_eq!(said.code(), Some(3), "{name}: {said}");
        assert!(said.stderr.contains("output"), "{name}: {said}");
        assert!(said.stderr.contains("too large"), "{name}: {said}");
        assert!(!out.is_file(), "{name}");
        let left = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut left = left.filter(|name| name != "output" && name != "output.work");
        assert_eq!(left.next(), None, "{name}");
        // With room, the same command does what it should.
        writer(&out).run().printed();
        assert!(out.exists(), "{name}");
    }
}

#[test]
fn a_hundred_tables_take_few_file_handles() {
    let folder = folder();
    for seed in 0..100 {
        let path = folder.path().join(format!("{seed:03}.etb"));
        generate_seeds(&format!("{seed}..{}", seed + 1), path)
            .words("--positions root")
            .run()
            .printed();
    }
    let out = folder.path().join("merged.out");
    let mut ask = probe(folder.path());
    ask.words("--seed 73");
    let join = merge(&[folder.path().to_str().unwrap()], &out);
    for command in
        [&mut ask, &mut verify(folder.path()), &mut stats(folder.path()), &mut info(folder.path())]
    {
        // What a command does not offer for folders it refuses; it does not run out of handles.
        let said = shell("ulimit -n 20; exec \"$0\" \"$@\"", command).run();
        assert!(!said.stderr.contains("Too many open files"), "{said}");
    }
    shell("ulimit -n 20; exec \"$0\" \"$@\"", &ask).run().printed();
    shell("ulimit -n 20; exec \"$0\" \"$@\"", &join).run().printed();
    assert!(verify(&out).run().printed().contains("100 records"));
}

/// The command with so many kilobytes of address space.
fn with_memory(kilobytes: u32, command: &Command) -> Done {
    let mut command = shell(&format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\""), command);
    command.env("RAYON_NUM_THREADS", "2").run()
}

#[test]
fn too_little_memory_is_an_error() {
    let folder = folder();
    let out = folder.path().join("out.etb");
    let said = with_memory(1_000_000, &words(keys(), "--samples 1000000000")).failed(3);
    assert!(said.contains("memory") && said.contains("fewer"), "{said}");
    for kilobytes in [250_000, 400_000, 800_000] {
        for command in [
            words(generate_2048("2x4", "score", &out), "--threads 2 --force"),
            words(generate_seeds("0..40", &out), "--threads 2 --force"),
            words(generate_complete(7, folder.path().join("out")), "--threads 2 --force"),
        ] {
            let said = with_memory(kilobytes, &command);
            match said.code() {
                Some(0) => {}
                code => {
                    assert_eq!(code, Some(3), "{kilobytes}: {said}");
                    assert!(said.stderr.contains("memory"), "{kilobytes}: {said}");
                }
            }
            _ = fs::remove_dir_all(folder.path().join("out.etb.work"));
        }
    }
}

#[test]
fn less_memory_than_it_takes_is_refused() {
    let folder = folder();
    let command = generate_complete(9, folder.path().join("out"));
    let said = words(command, "--memory 1M").run().failed(2);
    assert!(said.contains("--memory") && said.contains("at least"), "{said}");
    for (size, why) in [("5KIBB", "expected"), ("99999999999999999999", "too large")] {
        let mut command = generate_seeds("0..1", folder.path().join("out.etb"));
        let said = command.args(["--memory", size]).run().failed(2);
        assert!(said.contains(why), "{size}: {said}");
    }
}

/// A device without end, and a line without one.
#[test]
fn input_without_end_is_refused() {
    for words in ["--heuristic strong --weights /dev/zero", "--heuristic edges --weights /dev/zero"]
    {
        let mut command = solve_2048("1234");
        let said = command.words(words).run();
        assert_eq!(said.code(), Some(2), "{said}");
        assert!(said.stderr.contains("/dev/zero"), "{said}");
    }
    let said = play_2048().words("--replay /dev/zero").run().failed(2);
    assert!(said.contains("longer than any game"), "{said}");
    let folder = folder();
    let trailing = folder.path().join("trailing.weights");
    let shipped = fs::read(harness::project("weights/strong.weights")).unwrap();
    fs::write(&trailing, [&shipped[..], b"x"].concat()).unwrap();
    let mut command = solve_2048("1234");
    let said = command.args(["--heuristic", "strong", "--weights"]).arg(&trailing).run().failed(2);
    assert!(said.contains("trailing.weights"), "{said}");
}

#[test]
fn long_names_and_names_that_are_not_utf8_work() {
    let folder = folder();
    for length in [200, 230, 250] {
        let out = folder.path().join("n".repeat(length));
        generate_seeds("0..1", &out).words("--positions root").run().printed();
        assert!(fs::metadata(&out).is_ok(), "{length}");
    }
    #[cfg(unix)]
    {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let odd = folder.path().join(OsStr::from_bytes(b"odd-\xff.etb"));
        fs::copy(&*TABLE, &odd).unwrap();
        probe(&odd).words("--seed 0").run().printed();
        verify(&odd).output().unwrap();
        let merged = folder.path().join(OsStr::from_bytes(b"merged-\xfe.etb"));
        let mut join = endtable();
        assert!(join.arg("merge").arg(&odd).arg("--out").arg(&merged).status().unwrap().success());
    }
}

/// A file that is cut short while it is checked is damaged; it does not end the program.
#[test]
fn a_file_that_shrinks_while_it_is_checked_is_an_error() {
    let folder = folder();
    let path = folder.path().join("table.etb");
    generate_seeds("0..12", &path).run().printed();
    let whole = fs::read(&path).unwrap();
    for round in 1..=8 {
        let mut running = verify(&path).start();
        std::thread::sleep(std::time::Duration::from_millis(4 * round));
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(whole.len() as u64 / 3).unwrap();
        running.wait_for(|| false);
        let said = running.end();
        // It may have been done before.
        assert!(matches!(said.code(), Some(0 | 3)), "{said}");
        fs::write(&path, &whole).unwrap();
    }
}

/// A work folder whose bookkeeping is damaged says what to delete, and does not promise to go on.
#[test]
fn damaged_bookkeeping_is_refused_with_what_to_delete() {
    let folder = folder();
    let (out, work) = (folder.path().join("out.etb"), folder.path().join("out.etb.work"));
    let generate = || generate_seeds("0..3", &out);
    let begin = || {
        _ = fs::remove_file(&out);
        _ = fs::remove_dir_all(&work);
        fs::create_dir(&work).unwrap();
    };
    let refused = |what: &str| {
        let said = generate().run().failed(3);
        assert!(said.contains("remove"), "{what}: {said}");
        assert!(!said.contains("resumes from there"), "{what}: {said}");
    };
    let recipes: [&[u8]; 5] =
        [b"", b"game", b"\xff\xfe", &[0; 200], b"game: collapsi\nrules: one\nrul"];
    for recipe in recipes {
        begin();
        fs::write(work.join("recipe"), recipe).unwrap();
        refused(&String::from_utf8_lossy(recipe));
    }
    for name in ["recipe", "lock"] {
        begin();
        fs::create_dir(work.join(name)).unwrap();
        refused(name);
    }
    begin();
    fs::remove_dir(&work).unwrap();
    fs::write(&work, "a file").unwrap();
    refused("no folder");
    fs::remove_file(&work).unwrap();
    generate().run().printed();
}

/// Whatever somebody else keeps in a work folder is there afterwards.
#[test]
fn what_is_not_ours_stays() {
    let folder = folder();
    let (out, work) = (folder.path().join("out.etb"), folder.path().join("out.etb.work"));
    fs::create_dir(&work).unwrap();
    let foreign = ["backup-1-2.etb", "notes-0-1.etd", "solved-5-6.etb", ".notes.partial"];
    for name in foreign {
        fs::copy(&*TABLE, work.join(name)).unwrap();
    }
    generate_seeds("0..3", &out).run().printed();
    for name in foreign {
        assert!(fs::read(work.join(name)).unwrap() == fs::read(&*TABLE).unwrap(), "{name}");
    }
    verify(&out).run().printed();
}

#[test]
fn messages_name_the_file_and_the_record() {
    let folder = folder();
    let path = folder.path().join("table.etb");
    generate_2048("2x2", "tile:16", &path).run().printed();
    let mut bytes = fs::read(&path).unwrap();
    // A board size that its codes do not fit.
    let at = bytes.windows(3).position(|three| three == b"2x2").unwrap();
    bytes[at..at + 3].copy_from_slice(b"3x3");
    harness::repair::repair(&mut bytes);
    fs::write(&path, &bytes).unwrap();
    let said = verify(&path).run();
    assert!(said.stderr.contains("table.etb"), "{said}");
    assert!(!said.stderr.contains("Some("), "{said}");
    let said = verify(&path).arg("--full").run();
    assert!(!said.stderr.contains("Some("), "{said}");
}
