// node's http for the comparison: server.js SOCKET serves on a Unix socket until its standard input
// ends. What it reads it answers as outcome.hpp says.
'use strict';
const http = require('http');

function hash(text) {  // of one byte in each character
    let h = 2166136261;
    for (let i = 0; i < text.length; ++i) h = Math.imul(h ^ (text.charCodeAt(i) & 0xff), 16777619);
    return (h >>> 0).toString(16);
}

const leftOut = new Set(
    ['host', 'content-length', 'transfer-encoding', 'connection', 'trailer', 'expect']);

function fields(raw) {
    const all = [];
    for (let i = 0; i < raw.length; i += 2) {
        const name = raw[i].toLowerCase();
        if (!leftOut.has(name)) all.push(name + ':' + raw[i + 1] + '\n');
    }
    return all.sort().join('');
}

function answer(request, response) {
    const open = request.socket.open ??= new Set();
    open.add(request);
    response.on('close', () => open.delete(request));
    const parts = [];
    request.on('error', () => {});
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
        const body = Buffer.concat(parts).toString('latin1');
        if (!(request.method === 'OPTIONS' && request.url === '*')) {
            response.setHeader('X-Read', `m${hash(request.method)} t${hash(request.url)} ` +
                `h${hash(request.headers.host ?? '')} b${body.length}:${hash(body)} ` +
                `f${hash(fields(request.rawHeaders))}`);
        }
        response.setHeader('Content-Length', '0');
        response.end();
    });
}

const statuses = {HPE_HEADER_OVERFLOW: 431, HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
                  ERR_HTTP_REQUEST_TIMEOUT: 408};

// As node answers without a listener, but behind the answers to the requests that it has read
// before: of itself it would drop these.
function refuse(error, socket) {
    const waiting = [...(socket.open ?? [])].some((request) => request.complete);
    if (waiting && socket.writable) {
        setImmediate(refuse, error, socket);
        return;
    }
    if (!socket.writable) return;
    socket.end(`HTTP/1.1 ${statuses[error.code] ?? 400} Refused\r\nContent-Length: 0\r\n` +
        'Connection: close\r\n\r\n');
}

const server = http.createServer(answer);
server.httpAllowHalfOpen = true;
server.timeout = 5000;  // node does not notice that a request which names an upgrade is cut off
server.on('clientError', refuse);
server.on('connection', (socket) => socket.on('error', () => {}));
server.listen(process.argv[2], 4096, () => console.log('ready'));
process.stdin.on('end', () => process.exit(0)).resume();
