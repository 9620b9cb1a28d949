"""The client of the package `fastmcp`. Its manual way is the session of `mcp` beneath it."""

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp_types import SamplingCapability, SamplingToolsCapability

from person import main


def connect_to(transport, where, env):
    def connect(person, declares):
        async def elicit(message, _type, _params, _context):
            return person.elicit(message)

        async def sample(_messages, params, _context):
            return person.sample(params)

        async def roots(_context):
            return person.roots().roots

        handlers = {"elicitation_handler": elicit, "sampling_handler": sample, "roots": roots}
        handlers["sampling_capabilities"] = SamplingCapability(tools=SamplingToolsCapability())
        if transport == "http":
            server = where[0]
        else:
            server = StdioTransport(where[0], where[1:], env=env, keep_alive=False)
        return Client(server, timeout=15, **(handlers if declares else {}))

    return connect


async def automatic(client, cell, person):
    if "tool" in cell:
        progress = person.progress if cell.get("progress") else None
        return await client.call_tool_mcp(cell["tool"], cell["arguments"], progress_handler=progress)
    if "prompt" in cell:
        return await client.get_prompt_mcp(cell["prompt"], cell["arguments"])
    return await client.read_resource_mcp(cell["resource"])


main(connect_to, automatic)
