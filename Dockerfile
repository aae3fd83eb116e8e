# The image of `consensus serve`: two stages, no compiler and no package index at run time.
#
#   docker build -t consensus .
#   docker run --rm --read-only --cap-drop ALL -p 127.0.0.1:50051:50051 consensus
#
# A tag can be moved. Pin the base by digest where images are released:
#   --build-arg PYTHON_IMAGE=python:3.12-slim-bookworm@sha256:...
# No digest stands here, because one that nobody looked up would be worse than none.
ARG PYTHON_IMAGE=python:3.12-slim-bookworm

# Build: wheels of everything, locked by hash, into an environment without pip.
FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
COPY requirements/runtime.txt requirements/dev.txt requirements/
RUN pip wheel --require-hashes --only-binary=:all: --wheel-dir /wheels \
    --requirement requirements/runtime.txt
# The build backend stays in this stage. Its versions are the lock's, without the hashes: pip takes
# hashes only for requirements that are named with their version.
RUN grep -oE '^[A-Za-z0-9._-]+==[^ ;]+' requirements/dev.txt > /tmp/locked.txt \
    && pip install --constraint /tmp/locked.txt hatchling
COPY pyproject.toml README.md ./
COPY consensus/ consensus/
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
    && python -m venv --without-pip /opt/consensus \
    && pip --python /opt/consensus/bin/python install --no-index --no-deps --compile /wheels/*.whl

# Run: the environment alone. Every command here is in exec form: no shell is needed.
FROM ${PYTHON_IMAGE}
LABEL org.opencontainers.image.title="consensus" \
      org.opencontainers.image.description="Asks N judges and folds their answers into a decision" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/consensus /opt/consensus
# Bytecode is compiled above and never written here: the root filesystem may be read-only.
# All interfaces of the container, so EXPOSE is said too; who reaches them is the network's to say.
ENV PATH="/opt/consensus/bin:${PATH}" \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/tmp \
    CONSENSUS_SERVE_LISTEN=0.0.0.0:50051 \
    CONSENSUS_SERVE_METRICS=0.0.0.0:9090 \
    CONSENSUS_SERVE_EXPOSE=1
WORKDIR /
USER 65532:65532
# The bundled policy, by the same code as at start-up, as the user that will serve.
RUN ["consensus", "check"]
EXPOSE 50051 9090
# For container engines. Kubernetes ignores it and asks over gRPC itself (helm/consensus).
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["consensus", "health"]
ENTRYPOINT ["consensus"]
CMD ["serve"]
