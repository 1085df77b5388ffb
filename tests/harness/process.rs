//! Processes: run, fed, waited for, interrupted, killed.

use std::fmt;
use std::io::Write;
use std::mem;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A process that has ended, and what it printed.
#[derive(Debug)]
pub struct Done {
    command: String,
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Done {
    /// # Panics
    /// When the process has panicked: no input is an excuse for that.
    #[track_caller]
    fn new(command: String, output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("only UTF-8 is printed");
        let done = Self {
            command,
            status: output.status,
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        assert!(!done.stderr.contains("panicked"), "{done}");
        done
    }

    /// The exit code; `None` after a signal.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// What it printed on stdout.
    ///
    /// # Panics
    /// When it has not succeeded.
    #[track_caller]
    pub fn printed(self) -> String {
        assert!(self.status.success(), "{self}");
        self.stdout
    }

    /// What it said on stderr.
    ///
    /// # Panics
    /// When it has not failed with this exit code.
    #[track_caller]
    pub fn failed(self, code: i32) -> String {
        assert_eq!(self.code(), Some(code), "{self}");
        self.stderr
    }
}

/// The command line, the status and all that was printed: for the messages of assertions.
impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, status, stdout, stderr } = self;
        write!(f, "{command}: {status}\n{stdout}{stderr}")
    }
}

/// What tests do with a command.
pub trait Process {
    /// Adds the words of a line, parted by blanks.
    fn words(&mut self, line: &str) -> &mut Self;

    /// Runs it to its end, without input.
    fn run(&mut self) -> Done;

    /// Runs it to its end with this input.
    fn feed(&mut self, input: &[u8]) -> Done;

    /// Starts it.
    fn start(&mut self) -> Running;
}

impl Process for Command {
    fn words(&mut self, line: &str) -> &mut Self {
        self.args(line.split_whitespace())
    }

    #[track_caller]
    fn run(&mut self) -> Done {
        let output = self.output().unwrap_or_else(|error| panic!("{self:?}: {error}"));
        Done::new(format!("{self:?}"), output)
    }

    #[track_caller]
    fn feed(&mut self, input: &[u8]) -> Done {
        let mut child = spawn(self.stdin(Stdio::piped()));
        let mut stdin = child.stdin.take().expect("it is piped");
        // From a thread of its own: the process answers while it reads. One that does not read
        // closes the pipe, which is not an error.
        let output = thread::scope(|scope| {
            scope.spawn(move || _ = stdin.write_all(input));
            child.wait_with_output().expect("it can be waited for")
        });
        Done::new(format!("{self:?}"), output)
    }

    #[track_caller]
    fn start(&mut self) -> Running {
        let child = spawn(self.stdin(Stdio::null()));
        Running { child: Some(child), command: format!("{self:?}") }
    }
}

#[track_caller]
fn spawn(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// A shell script in which `"$0" "$@"` stands for a command.
pub fn shell(script: &str, command: &Command) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(command.get_program()).args(command.get_args());
    shell
}

/// A process that may still run. It is killed with the value, so that a test that fails leaves
/// none behind.
pub struct Running {
    child: Option<Child>,
    command: String,
}

impl Running {
    fn child(&mut self) -> &mut Child {
        self.child.as_mut().expect("only the methods that end it take it")
    }

    /// Whether the process has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child().try_wait().expect("it can be asked").is_some()
    }

    /// Waits until a condition holds. Returns whether it does: `false` if the process ended first.
    ///
    /// # Panics
    /// After two minutes.
    #[track_caller]
    pub fn wait_for(&mut self, mut condition: impl FnMut() -> bool) -> bool {
        let start = Instant::now();
        while !condition() {
            if self.has_ended() {
                return condition();
            }
            assert!(
                start.elapsed() < Duration::from_secs(120),
                "{}: two minutes are over",
                self.command
            );
            thread::sleep(Duration::from_micros(500));
        }
        true
    }

    /// Waits for its end.
    #[track_caller]
    pub fn end(mut self) -> Done {
        let child = self.child.take().expect("only the methods that end it take it");
        let output = child.wait_with_output().expect("it can be waited for");
        Done::new(mem::take(&mut self.command), output)
    }

    /// Presses Ctrl-C and waits for the end.
    #[track_caller]
    pub fn interrupt(mut self) -> Done {
        let child = self.child.take().expect("only the methods that end it take it");
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(sent.expect("there is a kill").success());
        let output = child.wait_with_output().expect("it can be waited for");
        Done::new(mem::take(&mut self.command), output)
    }

    /// Kills it. Returns the status with which it had ended by itself, if it had.
    pub fn kill(mut self) -> Option<ExitStatus> {
        let mut child = self.child.take().expect("only the methods that end it take it");
        child.kill().expect("it can be killed");
        let status = child.wait().expect("it can be waited for");
        status.code().map(|_| status)
    }

    /// Kills it after a time.
    pub fn kill_after(self, time: Duration) -> Option<ExitStatus> {
        thread::sleep(time);
        self.kill()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            _ = child.kill();
            _ = child.wait();
        }
    }
}
