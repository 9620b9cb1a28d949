"""The person behind a client: makes the calls of a cells.json, answers what is asked, and prints what came of each."""

import json
import os
import sys

import anyio
import mcp_types as types
from mcp.client.subscriptions import ResourceUpdated, listen
from mcp.shared.exceptions import MCPError


class Person:
    def __init__(self, shared, cell):
        self.answers = {**shared, **cell.get("answers", {})}
        self.asked = []
        self.heard_progress = False

    def say(self, question):
        # The lines behind the first one say what was wrong with an answer.
        question = question.partition("\n")[0]
        self.asked.append(question)
        answer = self.answers[question]
        return answer.pop(0) if isinstance(answer, list) else answer

    def elicit(self, message):
        return types.ElicitResult.model_validate(self.say(message))

    def sample(self, params):
        if not params.tools:
            return types.CreateMessageResult.model_validate(self.say("sampling"))
        question = "sampling with tools" if len(params.messages) == 1 else "sampling with a result"
        return types.CreateMessageResultWithTools.model_validate(self.say(question))

    def roots(self):
        return types.ListRootsResult.model_validate(self.say("roots"))

    async def progress(self, *_):
        self.heard_progress = True

    def answer(self, request):
        match request.method:
            case "elicitation/create":
                return self.elicit(request.params.message)
            case "sampling/createMessage":
                return self.sample(request.params)
            case "roots/list":
                return self.roots()
        raise ValueError(f"cannot answer {request.method}")


def call_once(session, cell, person, **retry):
    """Sends one request through the session, and nothing more."""
    retry["allow_input_required"] = True
    if "tool" in cell:
        if cell.get("progress"):
            retry["progress_callback"] = person.progress
        return session.call_tool(cell["tool"], cell["arguments"], **retry)
    if "prompt" in cell:
        return session.get_prompt(cell["prompt"], cell["arguments"], **retry)
    return session.read_resource(cell["resource"], **retry)


async def by_hand(session, cell, person):
    rounds = 0
    result = await call_once(session, cell, person)
    while isinstance(result, types.InputRequiredResult):
        rounds += 1
        requests = result.input_requests or {}
        answers = {key: person.answer(request) for key, request in requests.items()}
        if not answers:
            await anyio.sleep(0.1)
        state = result.request_state
        if cell.get("alter"):
            state += "A"
        result = await call_once(session, cell, person, input_responses=answers or None, request_state=state)
    return result, rounds


def outcome(result):
    if isinstance(result, types.CallToolResult):
        text = "".join(block.text for block in result.content)
        return {"toolError" if result.is_error else "text": text, "structured": result.structured_content}
    if isinstance(result, types.GetPromptResult):
        return {"text": result.messages[0].content.text}
    return {"text": result.contents[0].text}


async def pages(ask, name):
    """All items of a list, page by page."""
    cursor, items = None, []
    while True:
        params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
        page = await ask(params=params)
        items += getattr(page, name)
        cursor = page.next_cursor
        if not cursor:
            return items


async def lists(session):
    """Names of all tools and prompts, and how many resources and templates there are."""
    tools = sorted(tool.name for tool in await pages(session.list_tools, "tools"))
    prompts = [prompt.name for prompt in await pages(session.list_prompts, "prompts")]
    places = await pages(session.list_resources, "resources")
    places += await pages(session.list_resource_templates, "resource_templates")
    return {"text": f"{' '.join(tools)} | {' '.join(prompts)} | {len(places)}"}


async def complete(session, cell):
    ref = types.PromptReference(name=cell["prompt"])
    result = await session.complete(ref, {"name": cell["argument"], "value": cell["value"]})
    return {"text": " ".join(result.completion.values)}


async def heard(session, cell):
    """What is heard of a change of the resource and of the tools, which the cell's tool makes."""
    async with listen(session, tools_list_changed=True, resource_subscriptions=[cell["listen"]]) as subscription:
        await session.call_tool(cell["tool"], cell["arguments"])
        events = [await anext(subscription), await anext(subscription)]
    names = [str(event.uri) if isinstance(event, ResourceUpdated) else "tools" for event in events]
    return {"text": " ".join(sorted(names))}


def root_cause(error):
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


async def run(cell, shared, drive, connect, automatic):
    person = Person(shared, cell)
    report = {"cell": cell["name"]}
    try:
        async with connect(person, cell.get("declare", True)) as client:
            if "lists" in cell:
                report.update(await lists(client.session))
            elif "complete" in cell:
                report.update(await complete(client.session, cell["complete"]))
            elif "listen" in cell:
                report.update(await heard(client.session, cell))
            else:
                if "list" in cell:
                    await pages(client.session.list_tools, "tools")
                if drive == "auto":
                    result, rounds = await automatic(client, cell, person), None
                else:
                    result, rounds = await by_hand(client.session, cell, person)
                report.update(outcome(result), rounds=rounds)
    except BaseException as error:
        error = root_cause(error)
        if isinstance(error, MCPError):
            report.update(error=error.error.code, message=error.error.message)
        else:
            report["threw"] = f"{type(error).__name__}: {error}"
    report.update(asked=person.asked, progress=person.heard_progress)
    print(json.dumps(report), flush=True)


def main(connect_to, automatic):
    """CELLS auto|hand http URL, or CELLS auto|hand stdio PROGRAM [ARGUMENT ..]"""
    cells, drive, transport, *where = sys.argv[1:]
    with open(cells) as file:
        cells = json.load(file)
    connect = connect_to(transport, where, dict(os.environ))

    async def all_cells():
        for cell in cells["cells"]:
            await run(cell, cells["answers"], drive, connect, automatic)

    anyio.run(all_cells)
