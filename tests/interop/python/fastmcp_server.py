"""A server of the package `fastmcp` that asks in every way there is, each by returning an `InputRequiredResult`."""

from typing import Annotated

import mcp_types as types
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.elicitation import get_elicitation_schema
from mcp.shared.exceptions import MCPError
from mcp_types import InputRequiredResult
from pydantic import Field

from rounds import (
    WEATHER, WEATHER_IN_KYOTO, Asking, Everything, Meal, Name, Page, Pay, Quote, Seat, Street, Tone,
    ask, page, sampling, serve, told, topics,
)

server = FastMCP("interop-fastmcp")
in_tool = Asking(get_elicitation_schema, ToolError)
elsewhere = Asking(get_elicitation_schema, lambda action: MCPError(code=types.INVALID_PARAMS, message=action))


@server.tool
async def book(to: str, ctx: Context) -> str | InputRequiredResult:
    known, asking = in_tool.gather(
        ctx, seat=(f"Which seat to {to}?", Seat), meal=("Which meal?", Meal), pay=("Pay?", Pay)
    )
    if asking:
        return asking
    seat, meal, pay = known
    return f"{to}: row {seat.row}, {seat.side}, {meal.meal}, {'paid' if pay.confirmed else 'not paid'}"


@server.tool
async def fill_in(ctx: Context) -> str | InputRequiredResult:
    known, asking = in_tool.gather(ctx, all=("Fill in everything.", Everything))
    return asking or known[0].summary()


@server.tool
async def sign_in(ctx: Context) -> str | InputRequiredResult:
    return "signed in" if in_tool.answer(ctx, "page") else ask(page=page("Sign in first.", "https://example.com/sign-in"))


@server.tool
async def summarise(ctx: Context) -> str | InputRequiredResult:
    summary = in_tool.answer(ctx, "summary")
    return f"the model says: {summary.content.text}" if summary else ask(summary=sampling())


@server.tool
async def forecast(ctx: Context) -> str | InputRequiredResult:
    if answer := in_tool.answer(ctx, "told"):
        return answer.content.text
    if answer := in_tool.answer(ctx, "forecast"):
        return ask(told=sampling(told(answer), tools=[WEATHER]))
    return ask(forecast=sampling([WEATHER_IN_KYOTO], tools=[WEATHER]))


@server.tool
async def places(ctx: Context) -> str | InputRequiredResult:
    places = in_tool.answer(ctx, "places")
    return " ".join(str(root.uri) for root in places.roots) if places else ask(places=types.ListRootsRequest())


@server.tool
async def together(ctx: Context) -> str | InputRequiredResult:
    name, summary, places = (in_tool.answer(ctx, key) for key in ("name", "summary", "places"))
    if not name:
        return ask(name=in_tool.form("Your name?", Name), summary=sampling(), places=types.ListRootsRequest())
    return f"{name.content['name']}; {summary.content.text}; {places.roots[0].uri}"


@server.tool
async def later(ctx: Context) -> str | InputRequiredResult:
    return "later is now" if ctx.request_state else InputRequiredResult(request_state="later")


@server.tool
async def slow(ctx: Context) -> str | InputRequiredResult:
    await ctx.report_progress(1, 2, "looking around")
    known, asking = in_tool.gather(ctx, name=("Your name?", Name))
    return asking or f"found {known[0].name}"


@server.tool
async def quote(ctx: Context) -> Quote | InputRequiredResult:
    known, asking = in_tool.gather(ctx, name=("Your name?", Name))
    return asking or Quote(name=known[0].name, price=420)


@server.tool
async def locate(
    city: Annotated[str, Field(json_schema_extra={"x-mcp-header": "City"})], ctx: Context
) -> str | InputRequiredResult:
    known, asking = in_tool.gather(ctx, street=("Which street?", Street))
    return asking or f"{known[0].street} in {city}"


@server.tool
async def touch() -> str:
    return "touched"


@server.completion
async def complete(_ref, argument, _context):
    return topics(argument)


@server.prompt
async def brief(topic: str, ctx: Context) -> str | InputRequiredResult:
    known, asking = elsewhere.gather(ctx, tone=("Which tone?", Tone))
    return asking or f"{topic}, {known[0].tone}"


@server.resource("note://today")
async def today(ctx: Context) -> str | InputRequiredResult:
    known, asking = elsewhere.gather(ctx, page=("Which page?", Page))
    return asking or f"page {known[0].page}"


serve(server.http_app, lambda: server.run(show_banner=False))
