"""A server of the package `mcp`: its tools ask through dependencies where they can, all else returns an `InputRequiredResult`."""

from typing import Annotated

from mcp.server.elicitation import render_elicitation_schema
from mcp.server.mcpserver import Context, Elicit, ListRoots, MCPServer, Resolve, Sample
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS, Completion, CreateMessageResult, CreateMessageResultWithTools, InputRequiredResult, ListRootsResult,
)
from pydantic import Field

from rounds import (
    SAY_HELLO, WEATHER, WEATHER_IN_KYOTO, Asking, Everything, Meal, Name, Page, Pay, Quote, Seat, Street, Tone,
    ask, page, serve, told, topics,
)

server = MCPServer("interop-mcp", version="1.0.0")
in_tool = Asking(render_elicitation_schema, ToolError)
elsewhere = Asking(render_elicitation_schema, lambda action: MCPError(code=INVALID_PARAMS, message=action))


def ask_seat(to: str) -> Elicit[Seat]:
    return Elicit(f"Which seat to {to}?", Seat)


def ask_meal(seat: Annotated[Seat, Resolve(ask_seat)]) -> Elicit[Meal]:
    return Elicit("Which meal?", Meal)


def ask_pay(meal: Annotated[Meal, Resolve(ask_meal)]) -> Elicit[Pay]:
    return Elicit("Pay?", Pay)


def ask_everything() -> Elicit[Everything]:
    return Elicit("Fill in everything.", Everything)


def ask_name() -> Elicit[Name]:
    return Elicit("Your name?", Name)


def ask_street() -> Elicit[Street]:
    return Elicit("Which street?", Street)


def ask_summary() -> Sample:
    return Sample([SAY_HELLO], max_tokens=100, system_prompt="One word.")


def ask_forecast() -> Sample:
    return Sample([WEATHER_IN_KYOTO], max_tokens=100, tools=[WEATHER])


def ask_told(answer: Annotated[CreateMessageResultWithTools, Resolve(ask_forecast)]) -> Sample:
    return Sample(told(answer), max_tokens=100, tools=[WEATHER])


def ask_places() -> ListRoots:
    return ListRoots()


Summary = Annotated[CreateMessageResult, Resolve(ask_summary)]
Places = Annotated[ListRootsResult, Resolve(ask_places)]


@server.tool()
async def book(
    to: str,
    seat: Annotated[Seat, Resolve(ask_seat)],
    meal: Annotated[Meal, Resolve(ask_meal)],
    pay: Annotated[Pay, Resolve(ask_pay)],
) -> str:
    return f"{to}: row {seat.row}, {seat.side}, {meal.meal}, {'paid' if pay.confirmed else 'not paid'}"


@server.tool()
async def fill_in(everything: Annotated[Everything, Resolve(ask_everything)]) -> str:
    return everything.summary()


@server.tool()
async def sign_in(ctx: Context) -> str | InputRequiredResult:
    return "signed in" if in_tool.answer(ctx, "page") else ask(page=page("Sign in first.", "https://example.com/sign-in"))


@server.tool()
async def summarise(summary: Summary) -> str:
    return f"the model says: {summary.content.text}"


@server.tool()
async def forecast(told: Annotated[CreateMessageResultWithTools, Resolve(ask_told)]) -> str:
    return told.content.text


@server.tool()
async def places(places: Places) -> str:
    return " ".join(str(root.uri) for root in places.roots)


@server.tool()
async def together(name: Annotated[Name, Resolve(ask_name)], summary: Summary, places: Places) -> str:
    return f"{name.name}; {summary.content.text}; {places.roots[0].uri}"


@server.tool()
async def later(ctx: Context) -> str | InputRequiredResult:
    return "later is now" if ctx.request_state else InputRequiredResult(request_state="later")


@server.tool()
async def slow(ctx: Context) -> str | InputRequiredResult:
    await ctx.report_progress(1, 2, "looking around")
    known, asking = in_tool.gather(ctx, name=("Your name?", Name))
    return asking or f"found {known[0].name}"


@server.tool()
async def quote(name: Annotated[Name, Resolve(ask_name)]) -> Quote:
    return Quote(name=name.name, price=420)


@server.tool()
async def locate(
    city: Annotated[str, Field(json_schema_extra={"x-mcp-header": "City"})],
    street: Annotated[Street, Resolve(ask_street)],
) -> str:
    return f"{street.street} in {city}"


@server.tool()
async def touch(ctx: Context) -> str:
    await ctx.notify_resource_updated("note://today")
    await ctx.notify_tools_changed()
    return "touched"


@server.completion()
async def complete(_ref, argument, _context) -> Completion:
    return Completion(values=topics(argument))


@server.prompt()
async def brief(topic: str, ctx: Context) -> str | InputRequiredResult:
    known, asking = elsewhere.gather(ctx, tone=("Which tone?", Tone))
    return asking or f"{topic}, {known[0].tone}"


# Only templates can ask: a plain resource gets no context.
@server.resource("note://{name}")
async def note(name: str, ctx: Context) -> str | InputRequiredResult:
    known, asking = elsewhere.gather(ctx, page=("Which page?", Page))
    return asking or f"page {known[0].page}"


serve(server.streamable_http_app, server.run)
