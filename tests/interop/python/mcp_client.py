"""The client of the package `mcp`."""

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import SamplingCapability, SamplingToolsCapability

from person import main


def connect_to(transport, where, env):
    def connect(person, declares):
        async def elicit(_context, params):
            return person.elicit(params.message)

        async def sample(_context, params):
            return person.sample(params)

        async def roots(_context):
            return person.roots()

        handlers = {"elicitation_callback": elicit, "sampling_callback": sample, "list_roots_callback": roots}
        handlers["sampling_capabilities"] = SamplingCapability(tools=SamplingToolsCapability())
        if transport == "http":
            server = where[0]
        else:
            server = StdioServerParameters(command=where[0], args=where[1:], env=env)
        return Client(server, read_timeout_seconds=15, **(handlers if declares else {}))

    return connect


async def automatic(client, cell, person):
    if "tool" in cell:
        progress = person.progress if cell.get("progress") else None
        return await client.call_tool(cell["tool"], cell["arguments"], progress_callback=progress)
    if "prompt" in cell:
        return await client.get_prompt(cell["prompt"], cell["arguments"])
    return await client.read_resource(cell["resource"])


main(connect_to, automatic)
