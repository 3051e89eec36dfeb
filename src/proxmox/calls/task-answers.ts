import { z } from 'zod'
import { maybeNumber, maybeText, number, text } from '../wire/answers.ts'

export const TaskStatus = z.object({
  upid: z.string(),
  status: z.enum(['running', 'stopped']),
  exitstatus: maybeText,
  type: maybeText,
  id: maybeText,
  user: maybeText,
  tokenid: maybeText,
  starttime: maybeNumber,
})
export type TaskStatus = z.output<typeof TaskStatus>

/** In lists `status` is the exit status; active tasks have RUNNING or none (facts §6). */
export const TaskEntry = z.object({
  upid: z.string(),
  node: text,
  type: text,
  id: maybeText,
  user: text,
  starttime: number,
  endtime: maybeNumber,
  status: maybeText,
})
export type TaskEntry = z.output<typeof TaskEntry>

export const TaskLog = z.array(z.object({ n: number, t: z.string().catch('') }))
export type TaskLog = z.output<typeof TaskLog>
