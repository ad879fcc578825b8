//! Serves the page and one file on loopback.
//!
//! The page is for whoever started it: every path begins with a token that nobody can guess, the
//! host must be the one that was printed, and a request that another site caused is refused.

use super::files::PageFiles;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// Longest request, headers included.
const MOST_BYTES: u64 = 16 * 1024;

/// How long a browser may take to say what it wants, or to take the answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// What every answer carries beside its content.
const HEADERS: &str = "\
Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
worker-src 'self' blob:; style-src 'self'; img-src 'self' blob: data:; connect-src 'self' blob:; \
base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
X-Content-Type-Options: nosniff\r\n\
Referrer-Policy: no-referrer\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
Cross-Origin-Opener-Policy: same-origin\r\n\
Cache-Control: no-store\r\n\
Connection: close\r\n";

/// What is served.
pub(super) struct Server {
    listener: TcpListener,
    port: u16,
    token: String,
    page: PageFiles,
    /// The file that the page opens first: its name and its bytes.
    file: Option<(String, Vec<u8>)>,
}

/// An answer: its status, its type and its bytes.
type Answer<'a> = (&'static str, &'static str, &'a [u8]);

/// What a browser asks for.
struct Request {
    method: String,
    path: String,
    host: Option<String>,
    origin: Option<String>,
    site: Option<String>,
}

impl Server {
    /// Takes a port; any free one for 0.
    pub(super) fn bind(
        port: u16,
        page: PageFiles,
        file: Option<(String, Vec<u8>)>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port, token: token()?, page, file })
    }

    /// Where the page is.
    pub(super) fn address(&self) -> String {
        let open = self.file.as_ref().map(|(name, _)| format!("?open={}", percent_encoded(name)));
        format!("http://127.0.0.1:{}/{}/{}", self.port, self.token, open.unwrap_or_default())
    }

    /// Answers until the process ends.
    pub(super) fn run(&self) -> io::Result<()> {
        std::thread::scope(|threads| {
            for stream in self.listener.incoming() {
                let stream = stream?;
                // A browser that goes away in between is nobody's error.
                threads.spawn(move || self.serve(stream));
            }
            Ok(())
        })
    }

    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let request = Request::read(&stream)?;
        let (status, kind, bytes) = match &request {
            None => text("400 Bad Request", "not a request\n"),
            Some(request) => self.answer(request),
        };
        let is_head = request.is_some_and(|request| request.method == "HEAD");
        let mut stream = stream;
        let length = bytes.len();
        let head = format!("Content-Type: {kind}\r\nContent-Length: {length}\r\n");
        write!(stream, "HTTP/1.1 {status}\r\n{head}{HEADERS}\r\n")?;
        stream.write_all(if is_head { &[] } else { bytes })?;
        stream.flush()
    }

    fn answer(&self, request: &Request) -> Answer<'_> {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return text("405 Method Not Allowed", "this page is only read\n");
        }
        if !self.is_own(request) {
            return text("403 Forbidden", "this page is for whoever started it\n");
        }
        let path = request.path.split(['?', '#']).next().unwrap_or_default();
        let name = path.strip_prefix('/').and_then(|path| path.split_once('/'));
        match name.filter(|(token, _)| same(token, &self.token)).map(|(_, name)| name) {
            Some("file") => match &self.file {
                Some((_, bytes)) => ("200 OK", "application/octet-stream", bytes),
                None => text("404 Not Found", "no file was given\n"),
            },
            Some(name) => match self.page.get(if name.is_empty() { "index.html" } else { name }) {
                Some(file) => ("200 OK", file.kind, &file.bytes),
                None => text("404 Not Found", "there is no such file\n"),
            },
            None => text("403 Forbidden", "the address lacks its token\n"),
        }
    }

    /// Whether the page itself asks, or whoever typed its address.
    fn is_own(&self, request: &Request) -> bool {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let is_host = |host: &str| hosts.iter().any(|own| own == host);
        let is_origin = |origin: &String| origin.strip_prefix("http://").is_some_and(is_host);
        let is_site = |site: &String| matches!(site.as_str(), "same-origin" | "none");
        request.host.as_deref().is_some_and(is_host)
            && request.origin.as_ref().is_none_or(is_origin)
            && request.site.as_ref().is_none_or(is_site)
    }
}

fn text(status: &'static str, text: &'static str) -> Answer<'static> {
    (status, "text/plain; charset=utf-8", text.as_bytes())
}

impl Request {
    /// Reads the head of a request; `None` if it is none.
    fn read(stream: &TcpStream) -> io::Result<Option<Self>> {
        let mut lines = BufReader::new(stream.take(MOST_BYTES));
        let mut line = || -> io::Result<Option<String>> {
            let mut bytes = Vec::new();
            lines.read_until(b'\n', &mut bytes)?;
            let text = String::from_utf8(bytes).ok();
            Ok(text.and_then(|text| Some(text.strip_suffix('\n')?.trim_end().to_owned())))
        };
        let Some(first) = line()? else { return Ok(None) };
        let mut words = first.split(' ');
        let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
        let (method, path) = (method.to_owned(), path.to_owned());
        let mut request = Self { method, path, host: None, origin: None, site: None };
        loop {
            let Some(header) = line()? else { return Ok(None) };
            if header.is_empty() {
                return Ok(Some(request));
            }
            let Some((name, value)) = header.split_once(':') else { return Ok(None) };
            let place = match name.to_ascii_lowercase().as_str() {
                "host" => &mut request.host,
                "origin" => &mut request.origin,
                "sec-fetch-site" => &mut request.site,
                _ => continue,
            };
            // Two hosts are none.
            if place.replace(value.trim().to_owned()).is_some() {
                return Ok(None);
            }
        }
    }
}

/// 128 bits from the system's source of randomness.
fn token() -> io::Result<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares in a time that does not tell how many letters agree.
fn same(a: &str, b: &str) -> bool {
    let differ = a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && differ == 0
}

/// A name as part of an address.
fn percent_encoded(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte));
            }
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the server says to some bytes: the status and the body.
    fn said(port: u16, request: &str) -> (String, String) {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("Content-Security-Policy: default-src 'none'"));
        let status = head.split(' ').nth(1).unwrap();
        (status.to_owned(), body.to_owned())
    }

    #[test]
    fn only_whoever_has_the_address_is_answered() {
        let page = PageFiles::of_text("index.html", "<p>page</p>");
        let file = Some(("a b.rra".to_owned(), b"bytes".to_vec()));
        let server = Server::bind(0, page, file).unwrap();
        let (port, token) = (server.port, server.token.clone());
        assert_eq!(server.address(), format!("http://127.0.0.1:{port}/{token}/?open=a%20b.rra"));
        std::thread::spawn(move || server.run());
        let host = format!("Host: 127.0.0.1:{port}\r\n");
        let get = |path: &str, headers: &str| {
            said(port, &format!("GET {path} HTTP/1.1\r\n{headers}\r\n"))
        };
        let ok = |body: &str| ("200".to_owned(), body.to_owned());
        let own = format!("/{token}/");
        assert_eq!(get(&own, &host), ok("<p>page</p>"));
        assert_eq!(get(&format!("{own}?open=x"), &host), ok("<p>page</p>"));
        assert_eq!(get(&format!("{own}file"), &host), ok("bytes"));
        let same = format!("{host}Origin: http://localhost:{port}\r\n");
        assert_eq!(get(&own, &same), ok("<p>page</p>"));
        let head = said(port, &format!("HEAD {own} HTTP/1.1\r\n{host}\r\n"));
        assert_eq!(head, ok(""));
        let refused = [
            get("/", &host),
            get("/file", &host),
            get(&format!("/{}/", "0".repeat(32)), &host),
            get(&own, ""),
            get(&own, "Host: evil.example\r\n"),
            get(&own, &format!("Host: 127.0.0.1:{}\r\n", port.wrapping_add(1))),
            get(&own, &format!("{host}Origin: https://evil.example\r\n")),
            get(&own, &format!("{host}Origin: null\r\n")),
            get(&own, &format!("{host}Sec-Fetch-Site: cross-site\r\n")),
        ];
        assert!(refused.iter().all(|(status, _)| status == "403"), "{refused:?}");
        assert_eq!(get(&format!("{own}../file"), &host).0, "404");
        assert_eq!(said(port, &format!("POST {own} HTTP/1.1\r\n{host}\r\n")).0, "405");
        for garbage in
            ["", "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1", "GET / HTTP/1.1\r\nx\r\n\r\n"]
        {
            assert_eq!(said(port, garbage).0, "400", "{garbage:?}");
        }
        assert_eq!(get(&own, &format!("{host}{host}")).0, "400");
    }

    #[test]
    fn names_become_parts_of_addresses() {
        assert_eq!(percent_encoded("a b/ü.rra"), "a%20b%2F%C3%BC.rra");
    }

    #[test]
    fn tokens_differ_and_are_compared_whole() {
        let (a, b) = (token().unwrap(), token().unwrap());
        assert!(a.len() == 32 && a != b);
        assert!(same(&a, &a) && !same(&a, &b) && !same(&a, &a[..31]) && !same(&a, ""));
    }
}
