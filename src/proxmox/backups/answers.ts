import { z } from 'zod'
import { flag, maybeNumber, maybeText, text } from '../wire/answers.ts'
import { upidAbout } from '../wire/upid.ts'

/** A backup of a VM on a storage. */
export const Archive = z.object({
  volid: text,
  /** Seconds. */
  ctime: maybeNumber,
  /** Of a file what it takes, on a backup server what is in it; left out by some releases. */
  size: maybeNumber,
  /** The first line only. */
  notes: maybeText,
  protected: flag,
})
export type Archive = z.output<typeof Archive>

/** "OK" instead of a task: the VM is on another node, and nothing was done. */
export const taskOrNothing = (vmid: number) =>
  z.union([z.literal('OK').transform(() => undefined), upidAbout(vmid)])
