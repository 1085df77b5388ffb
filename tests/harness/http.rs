//! The server, and requests to it: as plain as the bytes are.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::commands::endtable;

/// A server with some tables, on a port of its own. It is killed with the value.
pub struct Server {
    child: Child,
    /// Where it listens: host and port.
    pub host: String,
}

impl Server {
    /// Starts one, and waits for its address.
    pub fn start(tables: &[&str]) -> Self {
        Self::run(endtable().arg("serve").args(["--listen", "127.0.0.1:0"]).args(tables))
    }

    /// The same, with all the time that searches may need.
    pub fn start_patient(tables: &[&str]) -> Self {
        let listen = ["--listen", "127.0.0.1:0", "--search-seconds", "3600"];
        Self::run(endtable().arg("serve").args(listen).args(tables))
    }

    /// Runs a command that prints the address it listens at.
    pub fn run(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let host = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix('/'));
        let host = host.unwrap_or_else(|| panic!("no address: {line:?}")).to_owned();
        Self { child, host }
    }

    /// The id of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal and waits for its end: the exit code, and what it said on standard error.
    pub fn signal(mut self, signal: &str) -> (Option<i32>, String) {
        let sent = Command::new("kill").args([signal, &self.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let status = self.child.wait().unwrap();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (status.code(), said)
    }

    /// A connection to it.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends bytes and reads the answer.
    pub fn send(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // Who is refused early may not take all of it.
        _ = stream.write_all(bytes);
        Answer::read(&mut stream)
    }

    /// A request without a body, with more lines in its head.
    pub fn request(&self, method: &str, path: &str, lines: &[&str]) -> Answer {
        let lines: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
        let host = &self.host;
        let head =
            format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{lines}\r\n");
        self.send(head.as_bytes())
    }

    /// Asks for a path.
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[])
    }

    /// Asks for a path of the JSON interface, which must be answered with status 200.
    #[track_caller]
    pub fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    /// Sends a body of JSON.
    pub fn post(&self, path: &str, body: &[u8]) -> Answer {
        let host = &self.host;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.send(&[head.as_bytes(), body].concat())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads an answer up to the end of the connection; status 0 if there is none.
    pub fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        // A connection may be reset behind an answer that was sent early.
        _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let Some(end) = end else { return Self { status: 0, headers: vec![], body: bytes } };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers =
            headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
        Self { status: status.parse().unwrap(), headers, body: bytes[end + 4..].to_vec() }
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("a text")
    }

    /// The body as an object.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.text());
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

/// A text as it stands behind the question mark of an address.
pub fn encoded(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~/,:@".contains(byte);
    text.bytes().fold(String::new(), |mut address, byte| {
        match plain(&byte) {
            true => address.push(byte.into()),
            false => address += &format!("%{byte:02X}"),
        }
        address
    })
}
