"""THE RULES AS WRITTEN: the policy file, what is wrong with it and where, and the settings."""

from consensus.config.load import load_policies, parse_policies
from consensus.config.settings import Settings

__all__ = ["Settings", "load_policies", "parse_policies"]
