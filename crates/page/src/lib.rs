//! siliray inside a page.
//!
//! The page that `siliray view` serves runs the toolkit itself, compiled to WebAssembly: a file
//! that is dropped onto it never leaves the machine. This crate is that module. A [`Page`] holds
//! one open file and answers [`Request`]s about it; `web/` holds the front end that asks.
//!
//! ```
//! use page::{Page, Request};
//! use serde_json::json;
//!
//! let mut page = Page::default();
//! let open = json!({"do": "builtin", "name": "organic", "triangles": 500});
//! let summary = page.answer(Request::write(&open, &[]))?.answer;
//! assert_eq!(summary["format"], "gfx12");
//!
//! let node = json!({"do": "node", "entry": 0});
//! assert_eq!(page.answer(Request::write(&node, &[]))?.answer["kind"], "box");
//! # Ok::<(), page::PageError>(())
//! ```
//!
//! | file | concept |
//! |---|---|
//! | [`message`] | requests and responses as bytes |
//! | `abi` | how a page reaches the module |
//! | `question` | what can be asked |
//! | `members` | members of the objects that ask |
//! | `document` | the open file: its bytes, its image, its outline, its check |
//! | `stored` | the bytes of a file, which the image holds already |
//! | `entries` | its structures, in little room |
//! | `summary` | what it is, in short |
//! | `about` | formats, machines and scenes that there are |
//! | `hierarchy` | which structure lies above which |
//! | `boxes` | the boxes of structures, their cost and overlap |
//! | `outline` | every structure, as arrays, piece by piece |
//! | `frames` | the boxes of oriented nodes, in their frames |
//! | `structure` | one structure, its bytes, and findings |
//! | `space` | triangles, boxes and instances to draw |
//! | `walks` | walks of rays and beams |
//! | `pictures` | pictures, heat maps and losses |
//! | `units` | runs of the traversal unit |
//! | `programs` | programs on the hart, instruction by instruction |
//! | `examples` | files that teach something |
//! | `watch` | long work, which can be stopped |

#[cfg(target_family = "wasm")]
#[expect(unsafe_code, reason = "names that the page calls, and the allocator")]
mod abi;
mod about;
mod boxes;
mod document;
mod entries;
mod examples;
mod frames;
mod hierarchy;
mod members;
pub mod message;
mod outline;
mod pictures;
mod programs;
mod question;
mod space;
mod stored;
mod structure;
mod summary;
mod units;
mod walks;
mod watch;

pub use message::{MessageError, Request, Response};

use document::Document;
use programs::Program;
use question::Question;
use siliray::input::{InputError, RouteError};
use siliray::machine::{DescribeError, EncodeError};
use siliray::render::RenderError;
use siliray::ttu::config::ConfigError;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The request cannot be read.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The question is none that is known here.
    #[error("no such question: {0}")]
    Question(String),
    /// Nothing is open.
    #[error("no file is open")]
    Nothing,
    /// There is no answer, and no file any more: a large one needed the room.
    #[error("{0}; the file before it was closed to make room")]
    Closed(Box<Self>),
    /// No program is loaded.
    #[error("no program is loaded")]
    NoProgram,
    /// A name that nothing here has.
    #[error("there is no {what} {name:?}")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// What it should be called.
        name: String,
    },
    /// The file cannot be opened.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A machine cannot walk it.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// There is no such structure.
    #[error(transparent)]
    Describe(#[from] DescribeError),
    /// There is no picture.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The traversal unit cannot be configured like that.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The image has no file.
    #[error("{0}")]
    Encode(EncodeError),
    /// Something else, in words.
    #[error("{0}")]
    Refused(String),
}

/// Bytes of two files of which one stays open until the other is.
const MOST_SIDE_BY_SIDE: usize = 128 << 20;

/// A number as hexadecimal or decimal text.
fn number(text: &str) -> Result<u64, PageError> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| PageError::Refused(format!("{text:?} is no number")))
}

/// A page: at most one file and one program are open at a time.
#[derive(Default)]
pub struct Page {
    document: Option<Document>,
    program: Option<Program>,
}

impl Page {
    /// Answers a request.
    ///
    /// # Errors
    /// When the request makes no sense, or the open file has no answer.
    pub fn answer(&mut self, mut request: Vec<u8>) -> Result<Response, PageError> {
        let Request { question, payload } = Request::read(&request)?;
        let question = Question::read(&question)?;
        // What is left is the payload: there is no room for two copies of a large file.
        let head = request.len() - payload.len();
        request.drain(..head);
        let payload = request;
        match question {
            Question::About => Ok(Response::new(about::about())),
            Question::Open { name, structure, built } => {
                let has_closed = self.make_room(payload.len());
                let document = Document::read(name, payload, structure, &built);
                self.open(document.map_err(|error| match has_closed {
                    true => PageError::Closed(Box::new(error)),
                    false => error,
                })?)
            }
            Question::Builtin { name, triangles, built } => {
                self.open(Document::builtin(&name, triangles, &built)?)
            }
            Question::Example { name } => {
                let (document, start) = examples::example(&name)?;
                let mut response = self.open(document)?;
                response.answer["start"] = start;
                Ok(response)
            }
            Question::Edit(edit) => {
                let (edited, before) = self.document()?.edited(&edit)?;
                let response = self.open(edited)?;
                let answer = serde_json::json!({"before": before, "summary": response.answer});
                Ok(Response::new(answer))
            }
            Question::Program { name } => {
                let program = self.program.insert(Program::load(name, &payload)?);
                Ok(program.listing())
            }
            Question::Run { to, stop } => {
                let stop = stop.as_deref().map(number).transpose()?;
                let program = self.program.as_mut().ok_or(PageError::NoProgram)?;
                match to {
                    Some(to) => program.run_to(to, stop),
                    None => Ok(program.place()),
                }
            }
            Question::Memory { address, length } => {
                let program = self.program.as_ref().ok_or(PageError::NoProgram)?;
                program.memory(number(&address)?, length)
            }
            question => {
                let document = self.document.as_mut().ok_or(PageError::Nothing)?;
                document.answer(question)
            }
        }
    }

    fn document(&self) -> Result<&Document, PageError> {
        self.document.as_ref().ok_or(PageError::Nothing)
    }

    /// Closes the file that is open, if there may be no room for it beside a large one.
    fn make_room(&mut self, bytes: usize) -> bool {
        let is_large = |open: &mut Document| open.bytes.len() + bytes > MOST_SIDE_BY_SIDE;
        self.document.take_if(is_large).is_some()
    }

    fn open(&mut self, document: Document) -> Result<Response, PageError> {
        let document = self.document.insert(document);
        Ok(Response::new(summary::summary(document)))
    }
}
