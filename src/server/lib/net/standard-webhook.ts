import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'

/** A secret of the form whsec_… is base64, as Standard Webhooks has it; any other is taken as it is. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8')

export const webhookSecret = (bytes: Buffer): string => `${PREFIX}${bytes.toString('base64')}`

type Message = { id: string; at: Date; body: string }

/** The headers of Standard Webhooks: one signature for each secret that is valid. */
export function signedHeaders(
  { id, at, body }: Message,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1000)
  const signatures = secrets.map((secret) => {
    const made = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`)
    return `v1,${made.digest('base64')}`
  })
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
