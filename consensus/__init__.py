"""A gRPC service that asks N judges about a submission and folds their answers into a decision."""

__version__ = "0.1.0"
