//! Step budgets: no walk runs for ever, whatever memory it is given.

/// How many steps a walk may still take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepBudget {
    limit: u64,
    left: u64,
}

/// A walk took more steps than it was allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the walk did not end within {limit} steps")]
pub struct BudgetExhausted {
    /// How many steps were allowed.
    pub limit: u64,
}

impl StepBudget {
    /// A budget of `limit` steps.
    #[must_use]
    pub const fn new(limit: u64) -> Self {
        Self { limit, left: limit }
    }

    /// Spends one step.
    ///
    /// # Errors
    /// When none is left.
    pub fn step(&mut self) -> Result<(), BudgetExhausted> {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(BudgetExhausted { limit: self.limit }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends() {
        let mut budget = StepBudget::new(2);
        assert_eq!((budget.step(), budget.step()), (Ok(()), Ok(())));
        assert_eq!(budget.step(), Err(BudgetExhausted { limit: 2 }));
    }
}
