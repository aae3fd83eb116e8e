"""A storm: thousands of calls, half of them cancelled by their callers at random moments, and what
the server still holds when it is over.
"""
