import { spawn } from 'node:child_process'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { type Qmp, qmpOver } from './qmp.ts'

export type VmProcess = {
  command: Qmp['command']
  /** A new connection to its VNC server. */
  screen(): Promise<Socket>
  /** Like pulling the plug. Resolves when the process has exited. */
  kill(): Promise<void>
  ended: Promise<void>
}

type VmSpec = {
  program: string
  folder: string
  vmid: number
  name: string
  /** Options of QEMU: processor, memory, disks, network. */
  hardware: string[]
}

/**
 * Starts the VM and waits for the end of its own standard input, a pipe from this process: however
 * this process ends, even by an uncatchable signal, the pipe closes and the VM exits.
 */
const LIFELINE = `
exec 3<&0
"$@" 0</dev/null 3<&- &
vm=$!
{ read -r _ <&3; kill -9 $vm; } 2>/dev/null &
dog=$!
wait $vm
kill $dog 2>/dev/null`

/** One QEMU; started once its control socket answers. */
export async function startVm(spec: VmSpec): Promise<VmProcess> {
  const { folder, vmid } = spec
  const path = (end: string) => join(folder, `${vmid}.${end}`)
  const server = createServer()
  await listening(server, path('control'))
  const child = spawn('/bin/sh', ['-c', LIFELINE, 'sh', spec.program, ...argumentsOf(spec, path)], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // Keeps a Ctrl-C in the terminal from the VMs: this process ends them itself.
    detached: true,
  })
  let complaint = ''
  child.stderr.on('data', (text) => {
    complaint += text
  })
  child.stdin.on('error', () => child.stdin.destroy())
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  try {
    const qmp = qmpOver(await firstCaller(server, ended, () => complaint))
    await qmp.command('qmp_capabilities')
    void ended.then(() => qmp.close())
    return {
      command: qmp.command,
      screen: () => connected(path('vnc')),
      async kill() {
        child.stdin.end()
        await ended
      },
      ended,
    }
  } catch (error) {
    child.stdin.end()
    throw error
  } finally {
    server.close()
  }
}

function argumentsOf({ name, hardware }: VmSpec, path: (end: string) => string): string[] {
  const escaped = (file: string) => file.replaceAll(',', ',,')
  return [
    ['-name', escaped(name)],
    ['-nodefaults', '-no-user-config', '-machine', 'pc', '-vga', 'std', '-display', 'none'],
    hardware,
    ['-vnc', `unix:${escaped(path('vnc'))},password=on`],
    ['-qmp', `unix:${escaped(path('control'))}`],
    // A second socket, for inspection from outside.
    ['-qmp', `unix:${escaped(path('qmp'))},server=on,wait=off`],
  ].flat()
}

const listening = (server: Server, path: string) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })

function firstCaller(
  server: Server,
  ended: Promise<void>,
  complaint: () => string,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    server.once('connection', resolve)
    void ended.then(() => reject(new Error(`start failed: ${complaint().trim() || 'QEMU ended'}`)))
  })
}

const connected = (path: string) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = createConnection(path)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
  })
