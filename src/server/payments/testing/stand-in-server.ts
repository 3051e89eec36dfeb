import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

export type Asked = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
  /** The same for every request of one connection. */
  connection: number
}
export type Answered = {
  status: number
  body: unknown
  headers?: Record<string, string | string[]>
  /** JSON that is sent as it is written, instead of the body. */
  json?: string
  /** It was carried out, but its answer never arrives. */
  isLost?: boolean
}

/** Faults between us and a provider. */
export type StandInFaults = {
  /** Refuses every connection. */
  isAway: boolean
  /** Answers that it is temporarily unavailable. */
  isBusy: boolean
  /** Rejects our key. */
  refusesKey: boolean
  /** How many changing requests are carried out with their answers lost. */
  loseAnswers: number
  /** The body of every answer, instead of the real one. */
  nonsense?: { body: unknown } | undefined
}

const BUSY: Answered = { status: 503, body: { error: { message: 'Try again later.' } } }

/** A provider's HTTP server on the loopback. Keeps every request for tests to inspect. */
export async function startStandIn(answer: (asked: Asked, faults: StandInFaults) => Answered) {
  const faults: StandInFaults = { isAway: false, isBusy: false, refusesKey: false, loseAnswers: 0 }
  const asked: Asked[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://stand-in')
    const one: Asked = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: await textOf(request),
      connection: request.socket.remotePort ?? 0,
    }
    asked.push(one)
    const { status, body, headers, json, isLost } = faults.isBusy ? BUSY : answer(one, faults)
    const isAnswerLost = faults.loseAnswers > 0 && one.method === 'POST'
    if (isAnswerLost) faults.loseAnswers -= 1
    if (isAnswerLost || isLost) {
      request.socket.destroy()
      return
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(
      faults.nonsense ? JSON.stringify(faults.nonsense.body) : (json ?? JSON.stringify(body)),
    )
  }
  const server = createServer((request, response) => {
    if (faults.isAway) request.socket.destroy()
    else serve(request, response).catch((error: Error) => request.socket.destroy(error))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { url: addressOf(server), faults, asked, close: () => closed(server) }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function addressOf(server: Server): string {
  const bound = server.address()
  if (typeof bound !== 'object' || bound === null) throw new Error('the stand-in does not listen')
  return `http://127.0.0.1:${bound.port}`
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((done, failed) => server.close((error) => (error ? failed(error) : done())))
}

/** A report as sent: its bytes, and the headers that sign them. */
export type Report = { payload: string; headers: Record<string, string> }

/**
 * The reports of a stand-in, in the order they were made; delivered automatically after
 * `deliverTo()`.
 */
export function reportLog(prove: (payload: string) => Record<string, string>) {
  const reports: Report[] = []
  let target: string | undefined
  return {
    reports,
    /** Sends each report to this address from now on. */
    deliverTo(url: string) {
      target = url
    },
    async add(body: object): Promise<Report> {
      const payload = JSON.stringify(body)
      const report = { payload, headers: prove(payload) }
      reports.push(report)
      if (target !== undefined) await send(target, report)
      return report
    },
  }
}

async function send(url: string, { payload, headers }: Report): Promise<void> {
  const reply = await fetch(url, { method: 'POST', body: payload, headers })
  if (!reply.ok) throw new Error(`the report was answered with ${reply.status}`)
}
