"""The benchmark's tool on the official Python SDK, whose own protection of the state is told who calls.

A tool that gets its answer as an argument (`Resolve`) cannot choose the key of the question: this one returns an
`InputRequiredResult`, as the documentation shows for everything else.
"""

import argparse
import socket

import anyio
import uvicorn
from mcp.server.elicitation import render_elicitation_schema
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.request_state import RequestStateSecurity
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult
from pydantic import BaseModel

ISSUER = "https://login.example.com"
SUBJECT = "alice"
KEY = "bench-bench-bench-bench-bench-32"
QUESTION = "dates"


class Dates(BaseModel):
    from_: str
    to: str
    model_config = {"alias_generator": lambda name: name.rstrip("_")}


FORM = render_elicitation_schema(Dates)
server = MCPServer(
    "bench",
    version="1.0.0",
    log_level="CRITICAL",
    request_state_security=RequestStateSecurity(keys=[KEY], bind_principal=lambda _: f"{ISSUER}|{SUBJECT}"),
)


@server.tool(description="Books a trip")
async def book(city: str, ctx: Context) -> str | InputRequiredResult:
    answer = (ctx.input_responses or {}).get(QUESTION)
    if ctx.request_state == QUESTION and answer is not None:
        if answer.action != "accept":
            raise ToolError("refused")
        dates = Dates.model_validate(answer.content)
        return f"Booked {city} from {dates.from_} to {dates.to}."
    params = ElicitRequestFormParams(message=f"When do you travel to {city}?", requested_schema=FORM)
    return InputRequiredResult(input_requests={QUESTION: ElicitRequest(params=params)}, request_state=QUESTION)


async def filler(city: str) -> str:
    return city


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--tools", type=int, default=1)
    options.add_argument("--stdio", action="store_true")
    options = options.parse_args()
    for n in range(2, options.tools + 1):
        server.add_tool(filler, name=f"filler-{n:03}", description="Does nothing")
    if options.stdio:
        server.run("stdio")
        return
    listener = socket.create_server(("127.0.0.1", options.port))
    print("listening", flush=True)
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    anyio.run(uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).serve, [listener])


main()
