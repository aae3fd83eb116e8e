"""Things to run and read: submissions, policies, and a replay of five recorded judges."""
