import { z } from 'zod'

/** What a task's id says by itself. The task is always asked about on `node` (facts §6). */
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

/** The UPID of a task about this VM. One about another VM means the answer was not for us. */
export const upidAbout = (vmid: number) =>
  z.string().refine((text) => parseUpid(text)?.id === String(vmid), 'not a task of this VM')

/** The same where older versions work synchronously and answer null. */
export const maybeUpidAbout = (vmid: number) =>
  upidAbout(vmid)
    .nullish()
    .transform((upid) => upid ?? undefined)
