// The client of @modelcontextprotocol/client: makes the calls of a cells.json and prints what came of each.
// CELLS auto|hand http URL, or CELLS auto|hand stdio PROGRAM [ARGUMENT ..]
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, ProtocolError, StreamableHTTPClientTransport, isInputRequiredResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [path, drive, transport, ...where] = process.argv.slice(2);
const { answers: shared, cells } = JSON.parse(readFileSync(path, 'utf8'));

function reach() {
    if (transport === 'http') return new StreamableHTTPClientTransport(new URL(where[0]));
    return new StdioClientTransport({ command: where[0], args: where.slice(1), env: { ...process.env } });
}

class Person {
    asked = [];

    constructor(cell) {
        this.answers = { ...shared, ...cell.answers };
    }

    answer({ method, params }) {
        // The lines behind the first one say what was wrong with an answer.
        let question = { 'sampling/createMessage': 'sampling', 'roots/list': 'roots' }[method] ?? params.message.split('\n')[0];
        if (params?.tools) question += params.messages.length === 1 ? ' with tools' : ' with a result';
        this.asked.push(question);
        if (!(question in this.answers)) throw new Error(`no answer to ${question}`);
        const answer = this.answers[question];
        return Array.isArray(answer) ? answer.shift() : answer;
    }
}

async function connect(person, declares) {
    const capabilities = declares ? { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} } : {};
    const client = new Client({ name: 'interop', version: '1.0.0' }, { capabilities, versionNegotiation: { mode: 'auto' } });
    if (declares) {
        for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list']) {
            client.setRequestHandler(method, async request => person.answer(request));
        }
    }
    await client.connect(reach());
    return client;
}

function call(client, cell, more, options) {
    if (cell.tool) return client.callTool({ name: cell.tool, arguments: cell.arguments, ...more }, options);
    if (cell.prompt) return client.getPrompt({ name: cell.prompt, arguments: cell.arguments, ...more }, options);
    return client.readResource({ uri: cell.resource, ...more }, options);
}

async function byHand(client, cell, person, options) {
    const manual = { ...options, allowInputRequired: true };
    let result = await call(client, cell, {}, manual);
    let rounds = 0;
    for (; isInputRequiredResult(result); rounds += 1) {
        const questions = Object.entries(result.inputRequests ?? {});
        const inputResponses = Object.fromEntries(questions.map(([key, question]) => [key, person.answer(question)]));
        if (questions.length === 0) await sleep(100);
        const requestState = cell.alter ? `${result.requestState}A` : result.requestState;
        const retry = { ...(questions.length > 0 && { inputResponses }), ...(requestState !== undefined && { requestState }) };
        result = await call(client, cell, retry, manual);
    }
    return { result, rounds };
}

function outcome(cell, result) {
    if (cell.prompt) return { text: result.messages[0].content.text };
    if (cell.resource) return { text: result.contents[0].text };
    const text = result.content.map(block => block.text).join('');
    return { [result.isError ? 'toolError' : 'text']: text, structured: result.structuredContent };
}

/** Names of all tools and prompts, and how many resources and templates there are. */
async function lists(client) {
    const { tools } = await client.listTools();
    const { prompts } = await client.listPrompts();
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listResourceTemplates();
    const names = list => list.map(({ name }) => name).sort().join(' ');
    return { text: `${names(tools)} | ${names(prompts)} | ${resources.length + resourceTemplates.length}` };
}

async function complete(client, { prompt, argument, value }) {
    const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: prompt }, argument: { name: argument, value } });
    return { text: completion.values.join(' ') };
}

/** What is heard of a change of the resource and of the tools, which the cell's tool makes. */
async function listen(client, cell) {
    const heard = [];
    const both = new Promise(resolve => {
        const hear = what => {
            heard.push(what);
            if (heard.length === 2) resolve();
        };
        client.setNotificationHandler('notifications/resources/updated', ({ params }) => hear(params.uri));
        client.setNotificationHandler('notifications/tools/list_changed', () => hear('tools'));
    });
    const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: [cell.listen] });
    await client.callTool({ name: cell.tool, arguments: cell.arguments });
    await both;
    await subscription.close();
    return { text: heard.sort().join(' ') };
}

async function play(client, cell, person, options) {
    if (cell.lists) return lists(client);
    if (cell.complete) return complete(client, cell.complete);
    if (cell.listen) return listen(client, cell);
    if (cell.list) await client.listTools();
    if (drive === 'auto') return outcome(cell, await call(client, cell, {}, options));
    const { result, rounds } = await byHand(client, cell, person, options);
    return { ...outcome(cell, result), rounds };
}

for (const cell of cells) {
    const person = new Person(cell);
    const report = { cell: cell.name, asked: person.asked, progress: false };
    const options = { timeout: 15_000 };
    // The automatic loop reports its own rounds as progress: those of the server have a total.
    if (cell.progress) options.onprogress = ({ total }) => (report.progress ||= total === 2);
    try {
        const client = await connect(person, cell.declare ?? true);
        try {
            Object.assign(report, await play(client, cell, person, options));
        } finally {
            await client.close();
        }
    } catch (error) {
        if (ProtocolError.isInstance(error)) Object.assign(report, { error: error.code, message: error.message });
        else report.threw = String(error);
    }
    console.log(JSON.stringify(report));
}
