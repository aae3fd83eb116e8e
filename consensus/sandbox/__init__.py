"""THE SANDBOX: proves what only the world can tell, a query, a URL, code, and keeps it harmless."""

from consensus.sandbox.registry import Sandbox

__all__ = ["Sandbox"]
