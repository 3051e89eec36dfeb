import { z } from 'zod'
import { flag, maybeNumber, maybeText, number, tagList, text } from '../wire/answers.ts'

/** Where a VM is. The node may change at any time (HA, migration): resolve it by vmid. */
export type VmRef = { node: string; vmid: number }

/** What the list says of every VM, and the status of a VM says again. */
const FIGURES = {
  name: maybeText,
  template: flag,
  lock: maybeText,
  tags: tagList,
  uptime: maybeNumber,
  cpu: maybeNumber,
  cpus: maybeNumber,
  mem: maybeNumber,
  maxmem: maybeNumber,
  maxdisk: maybeNumber,
  netin: maybeNumber,
  netout: maybeNumber,
}

export const VmEntry = z.object({ ...FIGURES, vmid: number, status: text })
export type VmEntry = z.output<typeof VmEntry>

/** Live, by QMP. `agent` means that the config enables the agent, not that it answers. */
export const VmStatus = z.object({
  ...FIGURES,
  vmid: maybeNumber,
  status: z.enum(['running', 'stopped']),
  qmpstatus: maybeText,
  agent: flag,
  serial: flag,
  diskread: maybeNumber,
  diskwrite: maybeNumber,
  ha: z.object({ managed: flag, state: maybeText }).optional(),
})
export type VmStatus = z.output<typeof VmStatus>

/** Every key as text, because PVE sends some as number or string (memory is both). */
export const VmConfig = z.record(z.string(), z.unknown()).transform((raw) => {
  const { digest, ...rest } = raw
  const values: Record<string, string> = {}
  for (const [key, value] of Object.entries(rest)) {
    if (typeof value === 'string' || typeof value === 'number') values[key] = String(value)
    if (typeof value === 'boolean') values[key] = value ? '1' : '0'
  }
  return { digest: typeof digest === 'string' ? digest : undefined, values }
})
export type VmConfig = z.output<typeof VmConfig>

/** `delete` is 0, 1 or 2 (2: forced); a value in `pending` takes effect after a stop and start. */
export const PendingValue = z.object({
  key: text,
  value: maybeText,
  pending: maybeText,
  delete: maybeNumber,
})
export type PendingValue = z.output<typeof PendingValue>

const GuestInterface = z.object({
  name: text,
  'hardware-address': maybeText,
  'ip-addresses': z
    .array(z.object({ 'ip-address': text, 'ip-address-type': maybeText, prefix: maybeNumber }))
    .nullish(),
})

/** The agent may fail inside a 200 (facts §13); that is distinguished from "no addresses". */
export const GuestInterfaces = z.object({
  result: z.union([
    z.array(GuestInterface),
    z.object({ error: z.object({ class: maybeText, desc: maybeText }) }),
  ]),
})

export type GuestInterface = {
  name: string
  mac: string | undefined
  addresses: { address: string; family: 'ipv4' | 'ipv6'; prefix: number | undefined }[]
}

export function readGuestInterfaces(
  answer: z.output<typeof GuestInterfaces>,
): GuestInterface[] | undefined {
  if (!Array.isArray(answer.result)) return undefined
  return answer.result.map((found) => ({
    name: found.name,
    mac: found['hardware-address']?.toUpperCase(),
    addresses: (found['ip-addresses'] ?? []).map((at) => ({
      address: at['ip-address'],
      family: at['ip-address'].includes(':') ? 'ipv6' : 'ipv4',
      prefix: at.prefix,
    })),
  }))
}
