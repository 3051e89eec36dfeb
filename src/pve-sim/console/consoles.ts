import { randomInt } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { BOOT_SECONDS, isBooting, machineDeps } from '../guest/guest.ts'
import { type Machine, machine } from '../guest/machine.ts'
import { isRunning } from '../metrics/stats.ts'
import type { VmProcesses } from '../qemu/vm-processes.ts'
import type { ClusterState } from '../state/cluster-state.ts'
import type { Vm } from '../state/types.ts'
import { die } from '../wire/errors.ts'
import { pictureDisplay, textDisplay } from './displays.ts'
import { pictureOf } from './pictures.ts'
import { serveRfb } from './rfb-server.ts'

const FIRST_PORT = 5900
const LAST_PORT = 5999

/** A VNC port that waits for its single connection. */
type Session = {
  port: number
  vmid: number
  password: string
  /**
   * Without websocket=1 the port uses TLS since April 2026 and vncwebsocket cannot connect to it.
   */
  plain: boolean
  state: 'waiting' | 'connected' | 'ended'
  /** The exit status of its task; null is OK. */
  outcome: string | null
}

type ConsoleDeps = {
  state: ClusterState
  now: () => number
  seconds: (n: number) => number
  waitMs: number
  processes: Pick<VmProcesses, 'screen'>
}

export type Consoles = ReturnType<typeof consoles>

/** `!` to `` ` ``: the characters of PVE's VNC passwords. */
const newPassword = () =>
  String.fromCharCode(...Array.from({ length: 8 }, () => randomInt(0x21, 0x61)))

/** The open VNC ports and the screens behind them. */
export function consoles(deps: ConsoleDeps) {
  const sessions = new Map<number, Session>()
  const screens = new Map<number, { machine: Machine; startedAt: number }>()
  const timers = new Set<NodeJS.Timeout>()
  /** Open connections, each with the VM it shows. */
  const streams = new Map<Duplex, number>()

  function end(session: Session, outcome: string | null): void {
    if (session.state === 'ended') return
    session.state = 'ended'
    session.outcome = outcome
    sessions.delete(session.port)
  }

  function freePort(): number {
    for (let port = FIRST_PORT; port <= LAST_PORT; port++) if (!sessions.has(port)) return port
    throw die('unable to find free port (5900-6000)')
  }

  /** One screen per running VM, shared by all viewers; a restart clears it. */
  function screenOf(vm: Vm): Machine {
    const found = screens.get(vm.vmid)
    if (found && found.startedAt === vm.startedAt) return found.machine
    found?.machine.close()
    const fresh = machine(machineDeps(vm, deps.now, deps.seconds(BOOT_SECONDS)))
    screens.set(vm.vmid, { machine: fresh, startedAt: vm.startedAt })
    return fresh
  }

  /** A picture where the guest shows one, else its text console. */
  function displayOf(vm: Vm) {
    const { screen } = vm.guest
    if (screen === undefined) return textDisplay(screenOf(vm))
    return pictureDisplay(pictureOf(screen, { isBooting: isBooting(deps, vm) }))
  }

  /** A viewer that does not share the screen is alone with it, as in QEMU. */
  function closeOthers(vmid: number, stream: Duplex): void {
    for (const [other, shown] of streams) if (shown === vmid && other !== stream) other.end()
  }

  /** Closes the connection when the VM stops, restarts or moves away. */
  function watch(vm: Vm, stream: Duplex): void {
    const { startedAt, node } = vm
    const timer = setInterval(() => {
      const same =
        deps.state.vms.get(vm.vmid) === vm && vm.startedAt === startedAt && vm.node === node
      // Without a close frame: the remote machine has no power.
      if (deps.state.nodes.get(node)?.online === false) stream.destroy()
      // With a close frame, so that the viewer sees an end and not an error.
      else if (!same || !isRunning(vm)) stream.end()
    }, 50)
    timers.add(timer)
    stream.once('close', () => {
      clearInterval(timer)
      timers.delete(timer)
      streams.delete(stream)
    })
  }

  /** The screen of the real process where there is one, else a simulated one. */
  async function show(session: Session, vm: Vm, stream: Duplex): Promise<void> {
    const { password } = session
    const socket = await deps.processes.screen(vm, password)
    if (!socket) {
      const name = `QEMU (${vm.config.name ?? vm.vmid})`
      const clear = () => closeOthers(vm.vmid, stream)
      return serveRfb(stream, { password, name, clear, ...displayOf(vm) })
    }
    socket.on('error', () => stream.destroy())
    stream.once('close', () => socket.destroy())
    stream.pipe(socket).pipe(stream)
  }

  return {
    open(vm: Vm, websocket: boolean): Session {
      const plain = websocket || !deps.state.newVncTicket
      const session: Session = {
        port: freePort(),
        vmid: vm.vmid,
        password: newPassword(),
        plain,
        state: 'waiting',
        outcome: null,
      }
      sessions.set(session.port, session)
      const timer = setTimeout(() => {
        timers.delete(timer)
        if (session.state === 'waiting') end(session, 'connection timed out')
      }, deps.waitMs)
      timers.add(timer)
      return session
    },
    waitingAt(port: number): Session | undefined {
      const session = sessions.get(port)
      return session?.state === 'waiting' ? session : undefined
    },
    byPort: (port: number) => sessions.get(port),
    /** Connects the websocket's byte stream to the port. */
    attach(session: Session, vm: Vm, stream: Duplex): void {
      session.state = 'connected'
      streams.set(stream, vm.vmid)
      stream.once('close', () => end(session, null))
      if (!isRunning(vm) || !session.plain) {
        end(session, isRunning(vm) ? null : 'Failed to run vncproxy.')
        stream.end()
        return
      }
      watch(vm, stream)
      show(session, vm, stream).catch(() => stream.destroy())
    },
    end,
    /** Reset button: the guest boots again on the same screen. */
    reset(vmid: number): void {
      screens.get(vmid)?.machine.restart()
    },
    close(): void {
      for (const timer of timers) clearInterval(timer)
      for (const stream of streams.keys()) stream.destroy()
      for (const { machine: screen } of screens.values()) screen.close()
      sessions.clear()
    },
  }
}
