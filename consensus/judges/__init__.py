"""THE BENCH: everything that answers a submission with a gradient, or abstains."""
