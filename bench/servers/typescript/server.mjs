// The benchmark's tool on the official TypeScript SDK, with its own codec for the state. The codec signs (it does not
// encrypt) and binds what it is told; what it cannot see when it verifies, the tool and its arguments, is in the state
// for the handler to compare.
//
// The SDK makes a server for each request, tools and all; the forms and the codec are made once.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
    McpServer,
    ProtocolError,
    ProtocolErrorCode,
    acceptedContent,
    createMcpHandler,
    createRequestStateCodec,
    inputRequired
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const QUESTION = 'dates';
const { values: options } = parseArgs({
    options: { port: { type: 'string', default: '0' }, tools: { type: 'string', default: '1' }, stdio: { type: 'boolean' } }
});
const fillers = Array.from({ length: options.tools - 1 }, (_, n) => `filler-${String(n + 2).padStart(3, '0')}`);

// As if a token had been checked.
const auth = {
    token: '',
    clientId: 'bench',
    scopes: [],
    extra: { issuer: 'https://login.example.com', subject: 'alice' }
};
const principal = ({ issuer, subject } = {}) => `${issuer}|${subject}`;
const states = createRequestStateCodec({
    key: 'bench-bench-bench-bench-bench-32',
    ttlSeconds: 600,
    bind: ctx => `${ctx.mcpReq.method}|${principal(ctx.http?.authInfo?.extra)}`
});

const trip = z.object({ city: z.string() });
const dates = z.object({ from: z.string(), to: z.string() });

async function book({ city }, ctx) {
    const call = createHash('sha256').update(JSON.stringify(['book', city])).digest('base64url').slice(0, 22);
    const asked = ctx.mcpReq.requestState();
    if (asked !== undefined) {
        if (asked.call !== call) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'invalid requestState');
        const answer = acceptedContent(ctx.mcpReq.inputResponses, asked.question, dates);
        if (answer) return { content: [{ type: 'text', text: `Booked ${city} from ${answer.from} to ${answer.to}.` }] };
    }
    const question = inputRequired.elicit({ message: `When do you travel to ${city}?`, requestedSchema: dates });
    const requestState = await states.mint({ question: QUESTION, call }, ctx);
    return inputRequired({ inputRequests: { [QUESTION]: question }, requestState });
}

const filler = async ({ city }) => ({ content: [{ type: 'text', text: city }] });

function build() {
    const server = new McpServer({ name: 'bench', version: '1.0.0' }, { requestState: { verify: states.verify } });
    server.registerTool('book', { description: 'Books a trip', inputSchema: trip }, book);
    for (const name of fillers) server.registerTool(name, { description: 'Does nothing', inputSchema: trip }, filler);
    return server;
}

if (options.stdio) {
    serveStdio(build);
} else {
    const [host, origin] = [localhostHostValidation(), localhostOriginValidation()];
    const handler = toNodeHandler(createMcpHandler(build));
    const listener = createServer((req, res) => {
        if (!host(req, res) || !origin(req, res)) return;
        req.auth = auth;
        handler(req, res);
    });
    listener.listen(options.port, '127.0.0.1', () => console.log('listening'));
}
