//! Processes on a terminal of their own, as a person meets them.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};

/// A process on a terminal. It is killed with the value.
pub struct OnTerminal {
    child: Child,
    master: File,
    slave: File,
    modes: Termios,
    /// What has been printed, escape sequences and all.
    shown: Arc<Mutex<Vec<u8>>>,
}

impl OnTerminal {
    /// Starts a command on a terminal of 90 columns and 30 rows that has colours.
    pub fn start(command: &mut Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("it may be used");
        unlockpt(&master).expect("it can be unlocked");
        let size = Winsize { ws_row: 30, ws_col: 90, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("it has a size");
        let name = ptsname(&master, Vec::new()).expect("it has a name").into_string().unwrap();
        let slave = File::options().read(true).write(true).open(name).expect("it can be opened");
        let end = || Stdio::from(slave.try_clone().expect("it can be shared"));
        let modes = tcgetattr(&slave).expect("it has modes");
        if command.get_envs().all(|(name, _)| name != "TERM") {
            command.env("TERM", "xterm-256color");
        }
        // Where it is set, terminals are taken to have colours whatever TERM says.
        command.env_remove("CI");
        let child = command.stdin(end()).stdout(end()).stderr(end()).spawn().expect("it starts");
        let master = File::from(master);
        let shown = Arc::<Mutex<Vec<u8>>>::default();
        let (mut reader, keep) = (master.try_clone().unwrap(), Arc::clone(&shown));
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                keep.lock().unwrap().extend(&buffer[..count]);
            }
        });
        Self { child, master, slave, modes, shown }
    }

    /// All that has been printed and not waited for.
    pub fn shown(&self) -> String {
        String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned()
    }

    /// Waits until something is printed, and forgets what came before its end.
    ///
    /// # Panics
    /// After two minutes.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        let start = Instant::now();
        loop {
            {
                let mut shown = self.shown.lock().unwrap();
                let length = text.len();
                if let Some(at) = shown.windows(length).position(|it| it == text.as_bytes()) {
                    shown.drain(..at + length);
                    return;
                }
            }
            let shown = self.shown();
            assert!(start.elapsed() < Duration::from_secs(120), "no {text:?} in\n{shown}");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Types.
    pub fn press(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).expect("it can be typed at");
    }

    /// Sends a signal.
    pub fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    /// Waits for the end. Returns the exit code.
    ///
    /// # Panics
    /// When the terminal's modes are not what they were.
    #[track_caller]
    pub fn end(mut self) -> Option<i32> {
        let status = self.child.wait().expect("it can be waited for");
        let now = tcgetattr(&self.slave).expect("it has modes");
        let modes =
            |it: &Termios| (it.input_modes, it.output_modes, it.control_modes, it.local_modes);
        assert_eq!(modes(&now), modes(&self.modes), "the terminal is not as it was");
        status.code()
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
