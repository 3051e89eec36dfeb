import { z } from 'zod'

/** What a task's id contains. The task is always queried on `node` (facts §6). */
export type Upid = {
  text: string
  node: string
  type: string
  id: string
  /** `user@realm` or `user@realm!token`. */
  user: string
  startedAt: Date
}

const UPID =
  /^UPID:([a-zA-Z0-9][a-zA-Z0-9-]*):[0-9A-Fa-f]{8}:[0-9A-Fa-f]{8,9}:([0-9A-Fa-f]{8}):([^:\s]+):([^:\s]*):([^:\s]+):$/

export function parseUpid(text: string): Upid | undefined {
  const [, node, start, type, id, user] = UPID.exec(text) ?? []
  if (node === undefined || type === undefined || user === undefined) return undefined
  const startedAt = new Date(Number.parseInt(start ?? '0', 16) * 1000)
  return { text, node, type, id: id ?? '', user, startedAt }
}

/** The UPID of a task about this VM. A UPID about another VM means a wrong answer. */
export const upidAbout = (vmid: number) =>
  z.string().refine((text) => parseUpid(text)?.id === String(vmid), 'not a task of this VM')

/** The same for calls that older versions answer synchronously with null. */
export const maybeUpidAbout = (vmid: number) =>
  upidAbout(vmid)
    .nullish()
    .transform((upid) => upid ?? undefined)
