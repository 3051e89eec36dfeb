import type { Incoming } from '../wire/decode.ts'
import { badParameters, PveError } from '../wire/errors.ts'
import { FAULT_KINDS, type Fault, type Faults } from './fault-board.ts'

async function body(incoming: Incoming): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming.request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8') || 'null')
}

const isFault = (value: unknown): value is Fault =>
  typeof value === 'object' &&
  value !== null &&
  'kind' in value &&
  FAULT_KINDS.some((kind) => kind === value.kind)

/** One fault or a list of them, as JSON; paths are patterns given as text. */
export function faultsFrom(value: unknown): Fault[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (!list.every(isFault)) throw badParameters({ kind: `one of ${FAULT_KINDS.join(', ')}` })
  return list
}

/** /sim/faults: GET lists, POST adds, DELETE clears. Only when the simulator runs standalone. */
export function control(faults: Faults) {
  return async (incoming: Incoming): Promise<unknown> => {
    const { method } = incoming.request
    if (incoming.path !== '/sim/faults') throw new PveError(501, 'no such switch')
    if (method === 'POST') for (const fault of faultsFrom(await body(incoming))) faults.add(fault)
    else if (method === 'DELETE') faults.clear()
    return faults
      .list()
      .map((fault) => ({ ...fault, ...(fault.path ? { path: String(fault.path) } : {}) }))
  }
}
