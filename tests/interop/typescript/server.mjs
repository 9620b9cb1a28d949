// A server of @modelcontextprotocol/server that asks in every way there is.
// `server.mjs http` prints the URL it serves at; `server.mjs stdio` serves over the standard streams.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
    McpServer,
    ProtocolError,
    ProtocolErrorCode,
    acceptedContent,
    completable,
    createMcpHandler,
    createRequestStateCodec,
    fromJsonSchema,
    inputRequired,
    inputResponse
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const states = createRequestStateCodec({ key: 'interop'.repeat(6), bind: ctx => ctx.mcpReq.method });

const text = text => ({ content: [{ type: 'text', text }] });
const no = text => ({ content: [{ type: 'text', text }], isError: true });
const refused = (ctx, key) => {
    const view = inputResponse(ctx.mcpReq.inputResponses, key);
    return view.kind === 'elicit' && view.action !== 'accept' ? view.action : undefined;
};

async function ask(ctx, inputRequests, state = {}) {
    return inputRequired({ inputRequests, requestState: await states.mint(state, ctx) });
}

/** Asks for one form after the other; what was answered is in the state. */
async function gather(ctx, forms) {
    const known = ctx.mcpReq.requestState() ?? {};
    for (const [key, { message, schema }] of Object.entries(forms)) {
        if (refused(ctx, key)) return { refused: refused(ctx, key) };
        known[key] ??= acceptedContent(ctx.mcpReq.inputResponses, key, schema);
        if (known[key] === undefined) {
            return { asking: await ask(ctx, { [key]: inputRequired.elicit({ message, requestedSchema: schema }) }, known) };
        }
    }
    return { known };
}

const sampling = inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }],
    systemPrompt: 'One word.',
    maxTokens: 100
});
const weather = messages =>
    inputRequired.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: 'Weather in Kyoto?' } }, ...messages],
        tools: [{ name: 'weather', inputSchema: { type: 'object', properties: { city: { type: 'string' } } } }],
        maxTokens: 100
    });
const name = { message: 'Your name?', schema: z.object({ name: z.string() }) };
const everything = z.object({
    name: z.string().min(1).describe('Who travels'),
    email: z.email(),
    seats: z.number().int().min(1).max(9).default(1),
    height: z.number(),
    insured: z.boolean(),
    colour: z.enum(['red', 'green']),
    meals: z.array(z.enum(['soup', 'fish', 'cake'])).min(1),
    note: z.string().optional()
});

function tools(server, changed) {
    const tool = (name, inputSchema, run) => server.registerTool(name, { description: name, inputSchema }, run);
    const none = z.object({});

    tool('book', z.object({ to: z.string() }), async ({ to }, ctx) => {
        const { known, asking, refused } = await gather(ctx, {
            seat: {
                message: `Which seat to ${to}?`,
                schema: z.object({ row: z.number().int().min(1).max(30), side: z.enum(['window', 'aisle']) })
            },
            meal: { message: 'Which meal?', schema: z.object({ meal: z.string().max(20) }) },
            pay: { message: 'Pay?', schema: z.object({ confirmed: z.boolean() }) }
        });
        if (!known) return asking ?? no(refused);
        if (!known.pay.confirmed) return no('not paid');
        return text(`${to}: row ${known.seat.row}, ${known.seat.side}, ${known.meal.meal}, paid`);
    });
    tool('fill_in', none, async (_, ctx) => {
        const { known, asking, refused } = await gather(ctx, { all: { message: 'Fill in everything.', schema: everything } });
        if (!known) return asking ?? no(refused);
        const { name, email, seats, height, insured, colour, meals, note } = known.all;
        return text([name, email, seats, height, insured, colour, meals.join('+'), note ?? 'no note'].join(', '));
    });
    tool('sign_in', none, async (_, ctx) => {
        const view = inputResponse(ctx.mcpReq.inputResponses, 'page');
        if (view.kind === 'missing') {
            return ask(ctx, { page: inputRequired.elicitUrl({ message: 'Sign in first.', url: 'https://example.com/sign-in' }) });
        }
        return view.action === 'accept' ? text('signed in') : no(view.action);
    });
    tool('summarise', none, async (_, ctx) => {
        const view = inputResponse(ctx.mcpReq.inputResponses, 'summary');
        return view.kind === 'sampling' ? text(`the model says: ${view.result.content.text}`) : ask(ctx, { summary: sampling });
    });
    tool('forecast', none, async (_, ctx) => {
        const told = inputResponse(ctx.mcpReq.inputResponses, 'told');
        if (told.kind === 'sampling') return text(told.result.content.text);
        const answer = inputResponse(ctx.mcpReq.inputResponses, 'forecast');
        if (answer.kind !== 'sampling') return ask(ctx, { forecast: weather([]) });
        const { role, content } = answer.result;
        const gave = { type: 'tool_result', toolUseId: [content].flat()[0].id, content: [{ type: 'text', text: 'sunny' }] };
        return ask(ctx, { told: weather([{ role, content }, { role: 'user', content: [gave] }]) });
    });
    tool('places', none, async (_, ctx) => {
        const view = inputResponse(ctx.mcpReq.inputResponses, 'places');
        return view.kind === 'roots' ? text(view.roots.map(root => root.uri).join(' ')) : ask(ctx, { places: inputRequired.listRoots() });
    });
    tool('together', none, async (_, ctx) => {
        const answers = ctx.mcpReq.inputResponses;
        const given = acceptedContent(answers, 'name', name.schema);
        if (!given) {
            const form = inputRequired.elicit({ message: name.message, requestedSchema: name.schema });
            return ask(ctx, { name: form, summary: sampling, places: inputRequired.listRoots() });
        }
        const summary = inputResponse(answers, 'summary').result.content.text;
        return text(`${given.name}; ${summary}; ${inputResponse(answers, 'places').roots[0].uri}`);
    });
    tool('later', none, async (_, ctx) => {
        if (ctx.mcpReq.requestState() === undefined) return inputRequired({ requestState: await states.mint('later', ctx) });
        return text('later is now');
    });
    tool('slow', none, async (_, ctx) => {
        const progressToken = ctx.mcpReq._meta?.progressToken;
        if (progressToken !== undefined) {
            const params = { progressToken, progress: 1, total: 2, message: 'looking around' };
            await ctx.mcpReq.notify({ method: 'notifications/progress', params });
        }
        const { known, asking, refused } = await gather(ctx, { name });
        return known ? text(`found ${known.name.name}`) : (asking ?? no(refused));
    });
    const quote = z.object({ name: z.string(), price: z.number().int(), discount: z.number().nullable() });
    server.registerTool('quote', { description: 'quote', inputSchema: none, outputSchema: quote }, async (_, ctx) => {
        const { known, asking, refused } = await gather(ctx, { name });
        if (!known) return asking ?? no(refused);
        const structuredContent = { name: known.name.name, price: 420, discount: null };
        return { ...text(JSON.stringify(structuredContent)), structuredContent };
    });
    tool('touch', none, async () => {
        await changed('note://today');
        return text('touched');
    });
    const address = { type: 'object', properties: { city: { type: 'string', 'x-mcp-header': 'City' } }, required: ['city'] };
    tool('locate', fromJsonSchema(address), async ({ city }, ctx) => {
        const { known, asking, refused } = await gather(ctx, {
            street: { message: 'Which street?', schema: z.object({ street: z.string() }) }
        });
        return known ? text(`${known.street.street} in ${city}`) : (asking ?? no(refused));
    });
}

const invalid = why => new ProtocolError(ProtocolErrorCode.InvalidParams, why);

/** Over HTTP each request has a server of its own, so `changed` tells the subscriptions of others. */
function build(changed) {
    const info = { name: 'interop-typescript', version: '1.0.0' };
    const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
    const server = new McpServer(info, { capabilities, requestState: { verify: states.verify } });
    tools(server, changed ?? (uri => Promise.all([server.server.sendResourceUpdated({ uri }), server.server.sendToolListChanged()])));
    const topic = completable(z.string(), typed => ['Kyoto', 'Kyushu', 'Oslo'].filter(topic => topic.startsWith(typed)));
    server.registerPrompt('brief', { argsSchema: z.object({ topic }) }, async ({ topic }, ctx) => {
        const { known, asking, refused } = await gather(ctx, {
            tone: { message: 'Which tone?', schema: z.object({ tone: z.enum(['formal', 'friendly']) }) }
        });
        if (refused) throw invalid(refused);
        return asking ?? { messages: [{ role: 'user', content: { type: 'text', text: `${topic}, ${known.tone.tone}` } }] };
    });
    server.registerResource('today', 'note://today', { mimeType: 'text/plain' }, async (uri, ctx) => {
        const { known, asking, refused } = await gather(ctx, {
            page: { message: 'Which page?', schema: z.object({ page: z.number().int().min(1) }) }
        });
        if (refused) throw invalid(refused);
        return asking ?? { contents: [{ uri: uri.href, text: `page ${known.page.page}` }] };
    });
    return server;
}

if (process.argv[2] === 'stdio') {
    serveStdio(() => build());
} else {
    const handler = createMcpHandler(() =>
        build(async uri => {
            handler.notify.resourceUpdated(uri);
            handler.notify.toolsChanged();
        })
    );
    const listener = createServer(toNodeHandler(handler));
    listener.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${listener.address().port}/mcp`));
}
