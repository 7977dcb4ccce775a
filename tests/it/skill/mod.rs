//! Skills: what they say of themselves as every surface shows it, and public ones as they were written.

mod real_skills;
mod shown;
mod slips;
