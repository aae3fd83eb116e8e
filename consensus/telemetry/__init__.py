"""THE INSTRUMENTS: every metric in one table, structured logs, the trace id."""
