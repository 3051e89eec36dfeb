import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { parseProperties } from '../formats/property-string.ts'
import type { ClusterData, Vm } from '../state/types.ts'
import { throttle } from './throttle.ts'
import { type Direction, goesOn } from './verdict.ts'

type Place = { data: ClusterData; vm: Vm; address: string; folder: string }

/** Proxmox's rate is in units of this per second. */
const MEBIBYTE = 1024 ** 2
const LENGTH_BYTES = 4

/** QEMU's queues are those of its own side: it receives what the guest sends. */
const QUEUES: Record<Direction, 'rx' | 'tx'> = { in: 'tx', out: 'rx' }

/**
 * The cable between a real guest and its network: every frame comes through this process, which lets
 * it go on or drops it by the VM's firewall, and holds it back by the rate of its card.
 */
export async function guestCable({ folder, ...of }: Place, netdev: string) {
  const dropped = { in: 0, out: 0 }
  const open: (Server | Socket)[] = []
  const rate = () => {
    const set = parseProperties(of.vm.config.net0 ?? '', 'model').get('rate')
    return set === undefined ? undefined : Number(set) * MEBIBYTE
  }

  /** A socket that QEMU opens as it starts. */
  async function end(name: string, use: (socket: Socket) => void): Promise<string> {
    const path = join(folder, `${of.vm.vmid}.${name}`)
    const server = createServer((socket) => {
      server.close()
      open.push(socket)
      socket.on('error', () => socket.destroy())
      use(socket)
    })
    open.push(server)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
    return path
  }

  async function way(direction: Direction): Promise<string[]> {
    const held = throttle(rate)
    let onward: Socket | undefined
    const judge = (frame: Buffer) => {
      if (!goesOn(of, direction, frame)) dropped[direction] += 1
      else held(frame.length, () => onward?.write(framed(frame)))
    }
    const from = await end(`${direction}-from`, (socket) => eachFrame(socket, judge))
    const to = await end(`${direction}-to`, (socket) => {
      onward = socket
    })
    return [
      ...['-chardev', `socket,id=${direction}-from,path=${escaped(from)}`],
      ...['-chardev', `socket,id=${direction}-to,path=${escaped(to)}`],
      '-object',
      `filter-redirector,id=${direction},netdev=${netdev},queue=${QUEUES[direction]},outdev=${direction}-from,indev=${direction}-to`,
    ]
  }

  return {
    /** Options of QEMU, after that of the network. */
    options: [...(await way('in')), ...(await way('out'))],
    dropped,
    close() {
      for (const one of open) {
        if ('destroy' in one) one.destroy()
        else one.close()
      }
    },
  }
}

export type GuestCable = Awaited<ReturnType<typeof guestCable>>

const escaped = (file: string) => file.replaceAll(',', ',,')

function framed(frame: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(frame.length)
  return Buffer.concat([length, frame])
}

/** QEMU writes the length of a frame before it. */
function eachFrame(socket: Socket, take: (frame: Buffer) => void): void {
  let rest = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + rest.readUInt32BE(0)
      if (rest.length < end) return
      take(rest.subarray(LENGTH_BYTES, end))
      rest = rest.subarray(end)
    }
  })
}
