//! A server for gdb's remote protocol, over the crate `gdbstub`.
//!
//! | file | concept |
//! |---|---|
//! | `session` | a hart under control: stepping, breakpoints, watchpoints |
//! | `target` | what gdb may ask of it |
//! | `description` | its registers, as gdb's target XML |
//!
//! A client that detaches lets the program run on; one that vanishes leaves the hart stopped,
//! waiting for the next.

mod description;
mod session;
mod target;

use crate::hart::Hart;
use crate::run::{Ended, Limits, Observer};
use gdbstub::common::Signal;
use gdbstub::conn::ConnectionExt;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, SingleThreadStopReason};
use session::{Session, Stopped};
use std::convert::Infallible;
use std::marker::PhantomData;
use std::net::{TcpListener, TcpStream};
use thiserror::Error;

/// Why debugging ended without the program.
#[derive(Debug, Error)]
pub enum GdbError {
    /// No client could be accepted.
    #[error("cannot accept a debugger: {0}")]
    Accept(std::io::Error),
    /// The client killed the program.
    #[error("the debugger killed the program")]
    Killed,
}

/// Runs the program in `hart` under the debuggers that connect to `listener`, one after the other.
pub fn serve(
    hart: &mut Hart,
    listener: &TcpListener,
    limits: Limits,
    observer: &mut dyn Observer,
) -> Result<Ended, GdbError> {
    let mut session = Session::new(hart, limits, observer);
    loop {
        let (stream, _) = listener.accept().map_err(GdbError::Accept)?;
        // Packets are small and answered one by one; a stream without this option works too.
        let _ = stream.set_nodelay(true);
        let reason = GdbStub::new(stream).run_blocking::<Loop<'_>>(&mut session);
        match reason {
            Ok(DisconnectReason::Kill) => return Err(GdbError::Killed),
            Ok(DisconnectReason::Disconnect) => return Ok(session.run_on()),
            Ok(DisconnectReason::TargetExited(_) | DisconnectReason::TargetTerminated(_)) => {
                if let Some(ended) = session.take_ended() {
                    return Ok(ended);
                }
            }
            // The client vanished, or spoke nonsense: the hart waits for the next one.
            Err(_) => {}
        }
    }
}

/// Connects the two: runs the hart while looking out for the client.
struct Loop<'a>(PhantomData<&'a ()>);

impl<'a> BlockingEventLoop for Loop<'a> {
    type Target = Session<'a>;
    type Connection = TcpStream;
    type StopReason = SingleThreadStopReason<u64>;

    fn wait_for_stop_reason(
        session: &mut Session<'a>,
        stream: &mut TcpStream,
    ) -> Result<Event<Self::StopReason>, WaitForStopReasonError<Infallible, std::io::Error>> {
        loop {
            if ConnectionExt::peek(stream).map_err(WaitForStopReasonError::Connection)?.is_some() {
                let byte =
                    ConnectionExt::read(stream).map_err(WaitForStopReasonError::Connection)?;
                return Ok(Event::IncomingData(byte));
            }
            if let Some(stopped) = session.resume_for_a_while() {
                return Ok(Event::TargetStopped(reason(stopped)));
            }
        }
    }

    fn on_interrupt(_: &mut Session<'a>) -> Result<Option<Self::StopReason>, Infallible> {
        Ok(Some(SingleThreadStopReason::Signal(Signal::SIGINT)))
    }
}

fn reason(stopped: Stopped) -> SingleThreadStopReason<u64> {
    match stopped {
        Stopped::Step => SingleThreadStopReason::DoneStep,
        Stopped::Breakpoint => SingleThreadStopReason::SwBreak(()),
        Stopped::Watch(kind, addr) => SingleThreadStopReason::Watch { tid: (), kind, addr },
        Stopped::Signal(signal) => SingleThreadStopReason::Signal(signal),
        Stopped::Exited(code) => SingleThreadStopReason::Exited(code),
    }
}
