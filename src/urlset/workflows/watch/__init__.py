"""Sites on a schedule → checks, audits, snapshots and engine reports, and alerts on what changed."""
