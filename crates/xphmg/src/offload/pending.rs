//! Tickets, event tokens and jobs that wait.
//!
//! One queue, first in first out, tickets from 1. Signals stand in the same order as jobs: a token
//! is armed when every job submitted before its signal is complete.

use super::{Job, JobRecord};
use crate::memory::Memory;
use std::collections::VecDeque;

/// Jobs and signals that may wait.
const MOST_WAITING: usize = 4096;

/// The submission queue of one hart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pending {
    last_ticket: u64,
    waiting: VecDeque<Waiting>,
    armed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Waiting {
    Job { ticket: u64, job: Job },
    Signal { token: u32 },
}

/// A wait that cannot end: nobody can signal the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("deadlock: event {token} is waited for, and nothing that was submitted signals it")]
pub struct Deadlock {
    /// The token.
    pub token: u32,
}

impl Pending {
    /// Adds a job; gives its ticket.
    pub fn submit(&mut self, job: Job) -> u64 {
        self.last_ticket += 1;
        self.waiting.push_back(Waiting::Job { ticket: self.last_ticket, job });
        self.last_ticket
    }

    /// Whether a job waits.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.waiting.iter().any(|waiting| matches!(waiting, Waiting::Job { .. }))
    }

    /// Armed tokens, one bit each.
    #[must_use]
    pub fn armed(&self) -> u64 {
        self.armed
    }

    /// The last ticket that was given.
    #[must_use]
    pub fn last_ticket(&self) -> u64 {
        self.last_ticket
    }

    /// Completes a ticket and all before it. Ticket 0 and tickets never given wait for nothing.
    pub fn wait(&mut self, ticket: u64, memory: &mut (impl Memory + ?Sized)) -> Vec<JobRecord> {
        let known =
            |waiting: &Waiting| matches!(waiting, Waiting::Job { ticket: t, .. } if *t == ticket);
        match self.waiting.iter().position(known) {
            Some(position) => self.drain(position + 1, memory),
            None => Vec::new(),
        }
    }

    /// Arms a token when all earlier jobs are complete; at once if none waits.
    pub fn signal(&mut self, token: u32) {
        self.waiting.push_back(Waiting::Signal { token });
        while let Some(Waiting::Signal { token }) = self.waiting.front().copied() {
            self.waiting.pop_front();
            self.armed |= 1 << token;
        }
    }

    /// Waits for a token and clears it.
    ///
    /// # Errors
    /// When nobody can signal it.
    pub fn wait_event(
        &mut self,
        token: u32,
        memory: &mut (impl Memory + ?Sized),
    ) -> Result<Vec<JobRecord>, Deadlock> {
        let mut records = Vec::new();
        if self.armed >> token & 1 == 0 {
            let signal = Waiting::Signal { token };
            let position = self.waiting.iter().position(|waiting| *waiting == signal);
            records = self.drain(position.ok_or(Deadlock { token })? + 1, memory);
        }
        self.armed &= !(1 << token);
        Ok(records)
    }

    /// Completes the oldest entries that are too many, so that a program that never waits cannot
    /// fill the host's memory. A job may complete at any time after its submission.
    pub fn limit(&mut self, memory: &mut (impl Memory + ?Sized)) -> Vec<JobRecord> {
        self.drain(self.waiting.len().saturating_sub(MOST_WAITING), memory)
    }

    /// Completes everything.
    pub fn finish(&mut self, memory: &mut (impl Memory + ?Sized)) -> Vec<JobRecord> {
        self.drain(self.waiting.len(), memory)
    }

    /// Completes the first `count` entries, and signals right behind them.
    fn drain(&mut self, count: usize, memory: &mut (impl Memory + ?Sized)) -> Vec<JobRecord> {
        let mut records = Vec::new();
        for waiting in self.waiting.drain(..count) {
            match waiting {
                Waiting::Job { ticket, job } => records.push(job.run(ticket, memory)),
                Waiting::Signal { token } => self.armed |= 1 << token,
            }
        }
        while let Some(Waiting::Signal { token }) = self.waiting.front().copied() {
            self.waiting.pop_front();
            self.armed |= 1 << token;
        }
        records
    }
}
