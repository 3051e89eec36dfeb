/** Requests that no browser sends: each as the bytes of one connection. */
const CRLF = '\r\n'
const head = (line: string, ...headers: string[]) =>
  [line, 'Host: a', ...headers, '', ''].join(CRLF)
const post = (path: string, headers: string[], body: string) =>
  `${head(`POST ${path} HTTP/1.1`, ...headers)}${body}`
const LOGIN = '/api/auth/login'
const JSON_TYPE = 'Content-Type: application/json'
const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket']

export const MALFORMED: Record<string, string> = {
  nothing: '',
  'a line that is none': `hello${CRLF}${CRLF}`,
  'HTTP/0.9': `GET /${CRLF}`,
  'a version that is none': head('GET / HTTP/9.9'),
  'HTTP/2 without asking': `PRI * HTTP/2.0${CRLF}${CRLF}SM${CRLF}${CRLF}`,
  'the first bytes of TLS': '\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\u0000\u00a1\u0003\u0003',
  'no Host': `GET /healthz HTTP/1.1${CRLF}${CRLF}`,
  'two Hosts': head('GET /healthz HTTP/1.1', 'Host: b'),
  'a bad Host': `GET /api/settings HTTP/1.1${CRLF}Host: [::1${CRLF}${CRLF}`,
  'line feeds alone': 'GET /healthz HTTP/1.1\nHost: a\n\n',
  'a folded header': head('GET /healthz HTTP/1.1', 'X: a', ' b'),
  'a space before the colon': head('GET /healthz HTTP/1.1', 'X : a'),
  'a header without a name': head('GET /healthz HTTP/1.1', ': a'),
  'a NUL in a header': head('GET /healthz HTTP/1.1', 'X: a\u0000b'),
  'a NUL in the path': head('GET /api/\u0000 HTTP/1.1'),
  'an encoded NUL': head('GET /api/admin/users/%00 HTTP/1.1'),
  'bad percent signs': head('GET /%zz/%E0%A4%A HTTP/1.1'),
  'bytes that are no text': head('GET /\u00ff\u00fe HTTP/1.1'),
  'an absolute address': head('GET http://elsewhere/api/settings HTTP/1.1'),
  'an absolute address that is none': head('GET http://[::1/api/settings HTTP/1.1'),
  'only a query': head('GET ?a=b HTTP/1.1'),
  'two slashes': head('GET //api/settings HTTP/1.1'),
  'a star': head('OPTIONS * HTTP/1.1'),
  CONNECT: head('CONNECT elsewhere:443 HTTP/1.1'),
  TRACE: head('TRACE / HTTP/1.1'),
  'a method of our own': head('BREW /coffee HTTP/1.1'),
  'a path of 100 KB': head(`GET /${'a'.repeat(100_000)} HTTP/1.1`),
  'a query of 10 KB': head(`GET /api/settings?${'a=b&'.repeat(2500)} HTTP/1.1`),
  'a header of 100 KB': head('GET /healthz HTTP/1.1', `X: ${'a'.repeat(100_000)}`),
  'three thousand headers': head('GET /healthz HTTP/1.1', ...Array(3000).fill('X: a')),
  'a cookie that is none': head('GET /api/auth/me HTTP/1.1', 'Cookie: hushbox=%E0%A4%A; =; ;;; a'),
  'a cookie of 12 KB': head('GET /api/auth/me HTTP/1.1', `Cookie: hushbox=${'a'.repeat(12_000)}`),
  'a negative length': post(LOGIN, [JSON_TYPE, 'Content-Length: -1'], '{}'),
  'a length that is none': post(LOGIN, [JSON_TYPE, 'Content-Length: 1e9'], '{}'),
  'two lengths': post(LOGIN, [JSON_TYPE, 'Content-Length: 2', 'Content-Length: 3'], '{}'),
  'a length beyond all': post(LOGIN, [JSON_TYPE, 'Content-Length: 99999999999999999999'], '{}'),
  'a length and chunks': post(
    LOGIN,
    [JSON_TYPE, 'Content-Length: 2', 'Transfer-Encoding: chunked'],
    `2${CRLF}{}${CRLF}0${CRLF}${CRLF}`,
  ),
  'a chunk size that is none': post(LOGIN, [JSON_TYPE, 'Transfer-Encoding: chunked'], `zz${CRLF}`),
  'a chunk longer than it says': post(
    LOGIN,
    [JSON_TYPE, 'Transfer-Encoding: chunked'],
    `1${CRLF}{}{}${CRLF}0${CRLF}${CRLF}`,
  ),
  'a chunk beyond all': post(
    LOGIN,
    [JSON_TYPE, 'Transfer-Encoding: chunked'],
    `FFFFFFFFFFFFFFFFFF${CRLF}a`,
  ),
  'an encoding nobody knows': post(LOGIN, [JSON_TYPE, 'Transfer-Encoding: gzip, chunked'], '0'),
  'a body that is not packed': post(
    LOGIN,
    [JSON_TYPE, 'Content-Encoding: gzip', 'Content-Length: 2'],
    '{}',
  ),
  'an expectation': post(LOGIN, [JSON_TYPE, 'Expect: 100-continue', 'Content-Length: 2'], '{}'),
  'an expectation of wonders': head('GET /healthz HTTP/1.1', 'Expect: wonders'),
  'a body with GET': `${head('GET /api/settings HTTP/1.1', 'Content-Length: 5')}hello`,
  'fifty at once': head('GET /api/settings HTTP/1.1').repeat(50),
  'one, then nonsense': `${head('GET /healthz HTTP/1.1')}nonsense${CRLF}${CRLF}`,
  'an upgrade to nothing': head('GET / HTTP/1.1', 'Connection: Upgrade', 'Upgrade: '),
  'an upgrade to HTTP/2': head('GET / HTTP/1.1', 'Connection: Upgrade', 'Upgrade: h2c'),
  'a WebSocket without a key': head('GET /api/console HTTP/1.1', ...UPGRADE),
  'a WebSocket of another version': head(
    'GET /api/console HTTP/1.1',
    ...UPGRADE,
    'Sec-WebSocket-Version: 99',
    'Sec-WebSocket-Key: x',
  ),
  'a WebSocket by POST': post('/api/console', [...UPGRADE, 'Content-Length: 2'], '{}'),
  'a range': head('GET / HTTP/1.1', 'Range: bytes=9-1,-0,99999999999-'),
  'dates that are none': head('GET / HTTP/1.1', 'If-Modified-Since: tomorrow', 'If-None-Match: ,'),
  'an address of a visitor that is none': head('GET / HTTP/1.1', 'X-Forwarded-For: ,,[::1, a'),
}

/** What a signed-in user may send on an open WebSocket, as bytes after the upgrade. */
export const BAD_FRAMES: Record<string, Buffer> = {
  'a frame without a mask': Buffer.from([0x81, 0x02, 0x68, 0x69]),
  'reserved bits': Buffer.from([0xf1, 0x80, 0, 0, 0, 0]),
  'an opcode nobody knows': Buffer.from([0x83, 0x80, 0, 0, 0, 0]),
  'a length beyond all': Buffer.from([0x82, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
  'a control frame in parts': Buffer.from([0x09, 0x80, 0, 0, 0, 0]),
  'a long control frame': Buffer.from([0x89, 0xfe, 0x01, 0x00, 0, 0, 0, 0]),
  'a continuation of nothing': Buffer.from([0x80, 0x80, 0, 0, 0, 0]),
  'text that is none': Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]),
  'a close code that is none': Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x00, 0x01]),
  'a close with half a code': Buffer.from([0x88, 0x81, 0, 0, 0, 0, 0x03]),
  'half a frame': Buffer.from([0x81]),
  nonsense: Buffer.from('GET / HTTP/1.1\r\n\r\n'),
}
