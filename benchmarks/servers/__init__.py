"""The processes under test. Each prints `ready HOST:PORT` and serves until SIGTERM."""
