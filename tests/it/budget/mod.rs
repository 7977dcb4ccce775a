//! Budgets of work and memory.

mod under_load;
