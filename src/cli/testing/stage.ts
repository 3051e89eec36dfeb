import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll } from 'vitest'
import { run } from '../run.ts'

/** The command line with a folder of its own for what it stores. */
export function openCommandLine() {
  const folder = mkdtempSync(join(tmpdir(), 'hushbox-cli-unit-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Runs a line as a script would: there is no terminal to ask at, unless answers are given. */
  async function hushbox(line: string, env: Record<string, string> = {}, answers?: string[]) {
    let [out, err] = ['', '']
    const answer = async (question: string) => {
      err += question
      return answers?.shift() ?? ''
    }
    const code = await run(line === '' ? [] : line.split(' '), {
      env: { XDG_CONFIG_HOME: folder, ...env },
      version: '1.2.3',
      terminal: {
        out: (text) => (out += text),
        err: (text) => (err += text),
        canAsk: answers !== undefined,
        isLive: false,
        hasColor: false,
        ask: answer,
        askSecret: answer,
      },
    })
    return { code, out, err }
  }
  return { folder, hushbox }
}

type Reply = { status: number; body?: unknown; isCut?: true; headers?: Record<string, string> }
type Asked = { line: string; headers: Record<string, unknown>; body: unknown }

/** A server that answers as told, one reply after the other, and remembers what it was asked. */
export const stage = (...replies: Reply[]) =>
  stageBy(() => replies.shift() ?? { status: 200, body: [] })

/** A server whose answer follows from the line of the request. */
export async function stageBy(replyTo: (line: string) => Reply) {
  const asked: Asked[] = []
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const line = `${request.method} ${request.url}`
    const one: Asked = { line, headers: request.headers, body: undefined }
    asked.push(one)
    const { status, body, isCut, headers } = replyTo(line)
    if (isCut) return request.socket.destroy()
    const sent = await text(request)
    if (sent !== '') one.body = JSON.parse(sent)
    response.writeHead(status, headers)
    return response.end(body === undefined ? '' : JSON.stringify(body))
  }
  const server = createServer((request, response) => {
    serve(request, response).catch((error: Error) => request.socket.destroy(error))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    asked,
    url,
    env: { HUSHBOX_URL: url, HUSHBOX_KEY: 'hbx_key' },
    close: () => server.close(),
  }
}
