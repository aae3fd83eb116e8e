"""`consensus health`: a server's health, for people and probes."""

import click
import grpc
from grpc_health.v1 import health_pb2

from consensus.cli import HELP, Failure, Seconds


@click.command(context_settings=HELP)
@click.option("--target", default="127.0.0.1:50051", show_default=True, help="The server.")
@click.option(
    "--service",
    default="consensus.v1.ConsensusService",
    show_default=True,
    help="Readiness by default; empty asks for liveness.",
)
@click.option("--timeout-seconds", default=2.0, show_default=True, type=Seconds(0.05))
@click.pass_context
def command(ctx: click.Context, target: str, service: str, timeout_seconds: float) -> None:
    """Ask a server for its health: exits with 0 when SERVING, 1 when not, 4 without an answer."""
    with grpc.insecure_channel(target) as channel:
        try:
            check = channel.unary_unary(
                "/grpc.health.v1.Health/Check",
                request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
                response_deserializer=health_pb2.HealthCheckResponse.FromString,
            )
            request = health_pb2.HealthCheckRequest(service=service)
            reply = check(request, timeout=timeout_seconds)
        except grpc.RpcError as error:
            code = error.code()
            if code is grpc.StatusCode.UNAVAILABLE:
                words = f"no server answers at {target}; `consensus serve` starts one"
                raise Failure(words) from None
            raise Failure(f"{target} answered {code.name} to a health check") from None
    name = health_pb2.HealthCheckResponse.ServingStatus.Name(reply.status)
    serving = reply.status == health_pb2.HealthCheckResponse.SERVING
    click.secho(f"{target} {name}", fg="green" if serving else "red")
    ctx.exit(0 if serving else 1)
