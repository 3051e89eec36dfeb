import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { vi } from 'vitest'
import { webServer } from '../../testing/web-server.ts'

export type Received = { id: string; headers: Record<string, string>; body: string }
type Answer = (response: ServerResponse) => void

const taken: Answer = (response) => response.writeHead(204).end()

/** Where a webhook leads to: keeps every call, and answers as a test says. */
export async function startReceiver() {
  const received: Received[] = []
  const state: { answer: Answer; onCall: () => Promise<void> } = {
    answer: taken,
    onCall: async () => undefined,
  }
  const url = await webServer(async (request, response, body) => {
    const headers = request.headers as Record<string, string>
    received.push({ id: headers['webhook-id'] ?? '', headers, body })
    await state.onCall()
    state.answer(response)
  })
  return {
    url: `${url}/hook`,
    received,
    state,
    /** What has come since the last time. */
    news: () => received.splice(0),
    answers(status: number, body = '') {
      state.answer = (response) => response.writeHead(status).end(body)
    },
    takes() {
      state.answer = taken
    },
  }
}

/** As a receiver does it: by the package of Standard Webhooks, at this time, and not by our code. */
export function verify(secret: string, { headers, body }: Received, now: Date): unknown {
  vi.useFakeTimers({ now, toFake: ['Date'] })
  try {
    return new Webhook(secret).verify(body, headers)
  } finally {
    vi.useRealTimers()
  }
}
