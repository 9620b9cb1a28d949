"""What the two servers share: the forms, asking round by round, and serving."""

import json
import socket
import sys
from typing import Annotated, Literal

import anyio
import mcp_types as types
import uvicorn
from pydantic import BaseModel, Field


class Seat(BaseModel):
    row: Annotated[int, Field(ge=1, le=30)]
    side: Literal["window", "aisle"]


class Meal(BaseModel):
    meal: Annotated[str, Field(max_length=20)]


class Pay(BaseModel):
    confirmed: bool


class Everything(BaseModel):
    name: Annotated[str, Field(min_length=1, title="Name")]
    email: Annotated[str, Field(json_schema_extra={"format": "email"})]
    seats: Annotated[int, Field(ge=1, le=9)] = 1
    height: float
    insured: bool
    colour: Literal["red", "green"]
    meals: Annotated[list[Literal["soup", "fish", "cake"]], Field(min_length=1)]
    note: str = ""

    def summary(self):
        insured = str(self.insured).lower()
        meals, note = "+".join(self.meals), self.note or "no note"
        return f"{self.name}, {self.email}, {self.seats}, {self.height}, {insured}, {self.colour}, {meals}, {note}"


class Name(BaseModel):
    name: str


class Street(BaseModel):
    street: str


class Tone(BaseModel):
    tone: Literal["formal", "friendly"]


class Quote(BaseModel):
    name: str
    price: int
    discount: float | None = None


class Page(BaseModel):
    page: Annotated[int, Field(ge=1)]


def topics(argument):
    """Completes the argument of the prompt."""
    return [topic for topic in ("Kyoto", "Kyushu", "Oslo") if topic.startswith(argument.value)]


SAY_HELLO = types.SamplingMessage(role="user", content=types.TextContent(type="text", text="Say hello."))
WEATHER = types.Tool(name="weather", input_schema={"type": "object", "properties": {"city": {"type": "string"}}})
WEATHER_IN_KYOTO = types.SamplingMessage(role="user", content=types.TextContent(type="text", text="Weather in Kyoto?"))


def told(answer):
    """The messages that end with what the tool gave which the model wanted."""
    used = answer.content[0] if isinstance(answer.content, list) else answer.content
    sunny = types.TextContent(type="text", text="sunny")
    gave = types.SamplingMessage(role="user", content=[types.ToolResultContent(tool_use_id=used.id, content=[sunny])])
    return [WEATHER_IN_KYOTO, types.SamplingMessage(role="assistant", content=answer.content), gave]


def page(message, url):
    return types.ElicitRequest(params=types.ElicitRequestURLParams(message=message, url=url))


def sampling(messages=(SAY_HELLO,), **more):
    params = types.CreateMessageRequestParams(messages=list(messages), max_tokens=100, **more)
    return types.CreateMessageRequest(params=params)


def ask(state=None, **requests):
    return types.InputRequiredResult(input_requests=requests, request_state=json.dumps(state or {}))


class Asking:
    """Asks in rounds: `render` makes a form of a model, `refused` an error of what the person did."""

    def __init__(self, render, refused):
        self.render = render
        self.refused = refused

    def form(self, message, model):
        params = types.ElicitRequestFormParams(message=message, requested_schema=self.render(model))
        return types.ElicitRequest(params=params)

    def answer(self, ctx, key):
        """The answer under a key, or nothing."""
        given = (ctx.input_responses or {}).get(key)
        if isinstance(given, types.ElicitResult) and given.action != "accept":
            raise self.refused(given.action)
        return given

    def gather(self, ctx, **forms):
        """Asks for one form after the other; what was answered is in the state."""
        known = json.loads(ctx.request_state or "{}")
        for key, (message, model) in forms.items():
            given = self.answer(ctx, key)
            if given is not None:
                known[key] = given.content
            if key not in known:
                return None, ask(known, **{key: self.form(message, model)})
        return [model.model_validate(known[key]) for key, (_, model) in forms.items()], None


def serve(app, over_stdio):
    """`http` prints the URL and serves `app`; `stdio` serves over the standard streams."""
    if sys.argv[1:] == ["stdio"]:
        over_stdio()
        return
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    server = uvicorn.Server(uvicorn.Config(app(), log_level="error", lifespan="on"))
    anyio.run(server.serve, [listener])
