"""THE NOUNS: what every room speaks of, as frozen values without behaviour of their own.

A Submission goes to a Panel. Each Judge in a Seat answers with a GradientResult. A Strategy folds
the seats into a Consensus. A Gate turns that into a Verdict. The Decision says why.
"""
