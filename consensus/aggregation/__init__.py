"""THE ARITHMETIC: seats in, numbers out, a whole batch at once (rows = submissions or criteria,
columns = seats). Formulas and laws: docs/strategies.md.
"""
