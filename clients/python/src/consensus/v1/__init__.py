"""THE CONTRACT IN PYTHON: generated from proto/ by `make proto`; do not edit."""
