import { createSocket } from 'node:dgram'
import { parseIp } from '#shared/rules/network/ip.ts'

const TYPES = new Map([
  [1, 'A'],
  [12, 'PTR'],
  [28, 'AAAA'],
])
const RCODE = { ok: 0, servfail: 2, nxdomain: 3 } as const
const HEADER = 12

export type DnsRecord = { name: string; type: string; content: string }

/** A name server on the loopback that answers with these records, or not at all. */
export async function startNameServer(records: () => readonly DnsRecord[]) {
  const faults: { mode: 'silent' | 'servfail' | undefined } = { mode: undefined }
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    if (faults.mode === 'silent') return
    socket.send(answerTo(query, faults.mode === 'servfail' ? undefined : records()), port, address)
  })
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    faults,
    close: () => new Promise<void>((done) => socket.close(() => done())),
  }
}

function answerTo(query: Buffer, records: readonly DnsRecord[] | undefined): Buffer {
  const { name, type, end } = questionOf(query)
  const named = records?.filter((one) => one.name.toLowerCase() === `${name}.`) ?? []
  const found = named.filter((one) => one.type === type)
  const rcode = !records ? RCODE.servfail : named.length > 0 ? RCODE.ok : RCODE.nxdomain
  const header = Buffer.alloc(HEADER)
  query.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8400 | rcode, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(found.length, 6)
  return Buffer.concat([header, query.subarray(HEADER, end), ...found.map(encoded)])
}

function questionOf(query: Buffer): { name: string; type: string | undefined; end: number } {
  const labels: string[] = []
  let at = HEADER
  for (let size = query.readUInt8(at); size > 0; size = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size))
    at += 1 + size
  }
  const type = TYPES.get(query.readUInt16BE(at + 1))
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 }
}

/** Points back to the name in the question. */
function encoded({ type, content }: DnsRecord): Buffer {
  const number = [...TYPES].find(([, name]) => name === type)?.[0] ?? 0
  const data = dataOf(type, content)
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(number, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(60, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

function dataOf(type: string, content: string): Buffer {
  if (type !== 'PTR') {
    const hex = (parseIp(content)?.value ?? 0n).toString(16)
    return Buffer.from(hex.padStart(type === 'A' ? 8 : 32, '0'), 'hex')
  }
  const labels = content.replace(/\.$/, '').split('.')
  return Buffer.concat([
    ...labels.map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.of(0),
  ])
}
