"""Real servers on loopback for tests of live code: well-behaved ones that keep a log, and ones that misbehave."""
