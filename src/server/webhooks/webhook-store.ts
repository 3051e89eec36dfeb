import { z } from 'zod'
import { OLD_SECRET_MS } from '#shared/rules/people/webhook-tries.ts'
import type { webhooks } from '../db/schema/work.ts'
import { webhookSecret } from '../lib/net/standard-webhook.ts'
import type { Random } from '../lib/random.ts'
import type { Keyring } from '../secrets/keyring.ts'
import { webhookContent } from '../secrets/sealed-columns.ts'

const SECRET_BYTES = 32

const Content = z.object({
  url: z.string(),
  secret: z.string(),
  /** The one before it, and until when we sign with it as well. */
  old: z.object({ secret: z.string(), until: z.iso.datetime() }).optional(),
})
export type Content = z.output<typeof Content>

export type WebhookRow = typeof webhooks.$inferSelect

export const openContent = (keyring: Keyring, { uid, sealed }: WebhookRow): Content =>
  Content.parse(JSON.parse(keyring.open(webhookContent(uid), sealed)))

export const sealContent = (keyring: Keyring, uid: string, content: Content): string =>
  keyring.seal(webhookContent(uid), JSON.stringify(content))

export const newSecret = (random: Random): string => webhookSecret(random.bytes(SECRET_BYTES))

/** Receivers have a day to take the new one. */
export const withNewSecret = (content: Content, secret: string, now: Date): Content => ({
  url: content.url,
  secret,
  old: { secret: content.secret, until: new Date(now.getTime() + OLD_SECRET_MS).toISOString() },
})

/** What to sign with; the newest first. */
export const validSecrets = (content: Content, now: Date): string[] => {
  const until = oldSecretUntil(content, now)
  return [content.secret, ...(content.old && until ? [content.old.secret] : [])]
}

export function oldSecretUntil({ old }: Content, now: Date): Date | null {
  const until = old && new Date(old.until)
  return until && until > now ? until : null
}
