import { Agent, request } from 'node:http'
import { digestAnswer } from '../../providers/monero/digest.ts'

type Reply = { status: number; text: string; challenge: string | undefined }

/** What a monero-wallet-rpc answers, untouched. */
export async function rawCall(
  url: string,
  login: string,
  { method, params }: { method: string; params: object },
): Promise<unknown> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const body = JSON.stringify({ jsonrpc: '2.0', id: '0', method, params })
  const send = (headers: Record<string, string>): Promise<Reply> =>
    new Promise((done, fail) => {
      const asked = request(`${url}/json_rpc`, { method: 'POST', agent, headers }, (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.on('end', () =>
          done({
            status: reply.statusCode ?? 0,
            text: Buffer.concat(chunks).toString('utf8'),
            challenge: reply.headers['www-authenticate'],
          }),
        )
      })
      asked.on('error', fail).end(body)
    })
  try {
    const { challenge } = await send({})
    const path = '/json_rpc'
    const authorization = digestAnswer(challenge, login, { method: 'POST', path }) ?? ''
    const { status, text } = await send({ authorization })
    if (status !== 200) throw new Error(`${method} was answered with ${status}`)
    return JSON.parse(text) as unknown
  } finally {
    agent.destroy()
  }
}
