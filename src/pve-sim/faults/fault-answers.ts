import type { Duplex } from 'node:stream'
import { type Answer, html } from '../wire/answer.ts'
import { type Fault, type FaultBoard, type FaultKind, takesEffect } from './fault-board.ts'

/** The answers that faults put in place of the real one. */

const FORCED: Partial<Record<FaultKind, (fault: Fault) => Answer>> = {
  'html-500': () => html(500, 'Internal Server Error', 'The server encountered an error.'),
  '502': () => html(502, 'Bad Gateway', 'nginx'),
  '595': () => empty(595, 'Connection refused'),
  '596': () => empty(596, 'Connection timed out'),
  '403': (fault) => json(403, fault.message ?? 'Permission check failed (/, Sys.Audit)'),
  '429': () => empty(429, 'Too Many Requests'),
  'ticket-expired': () => empty(401, 'permission denied - invalid PVE ticket'),
}

const empty = (status: number, reason: string): Answer => ({
  status,
  reason,
  type: 'text/plain',
  body: '',
})
const json = (status: number, reason: string): Answer => ({
  status,
  reason,
  type: 'application/json;charset=UTF-8',
  body: JSON.stringify({ data: null, message: `${reason}\n` }),
})

/** The answer that a fault forces, if its kind forces one. */
export const forcedAnswer = (fault: Fault): Answer | undefined => FORCED[fault.kind]?.(fault)

/** Breaks the answer instead of replacing it. */
export const isCut = (fault: Fault) => fault.kind === 'reset' || fault.kind === 'truncate'

type Sim = {
  timers: { pause(ms: number): Promise<void> }
  faults: Pick<FaultBoard, 'onClear'>
}

/**
 * Latency delays; a refusal closes the connection; a black hole keeps it open and sends nothing.
 */
export async function meet(sim: Sim, faults: Fault[], socket: Duplex): Promise<'on' | 'gone'> {
  for (const fault of faults) if (fault.kind === 'latency') await sim.timers.pause(fault.ms ?? 1000)
  if (faults.some((fault) => fault.kind === 'refuse' || (isCut(fault) && !takesEffect(fault)))) {
    socket.destroy()
    return 'gone'
  }
  if (faults.some((fault) => fault.kind === 'black-hole')) {
    sim.faults.onClear(() => socket.destroy())
    return 'gone'
  }
  return 'on'
}
