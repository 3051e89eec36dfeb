import { isVncTicketOf, makeVncTicket, type VncClaim } from '../access/tickets.ts'
import { flag, int, text } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import { traits, wire } from '../state/versions.ts'
import { die, PveError } from '../wire/errors.ts'
import { onVm, startTask, VM_PARAMS, vmOf } from './shared.ts'

/** The ticket contains the caller and the VM, and since April 2026 the port. */
function claim(call: Call, port: number): VncClaim {
  const bound = call.sim.state.newVncTicket
  return {
    authid: call.who.authid,
    path: `/vms/${call.text('vmid')}`,
    port: bound ? port : undefined,
  }
}

function vncproxy(call: Call) {
  const { sim } = call
  const vm = vmOf(call)
  if (!sim.state.nodes.get(vm.node)?.online)
    throw die(`command 'ssh root@${vm.node}' failed: exit code 255`)
  const session = sim.consoles.open(vm, call.flag('websocket') === true)
  const ticket = makeVncTicket(sim.state.ticketKey, claim(call, session.port), sim.now())
  const upid = startTask(call, { type: 'vncproxy', id: vm.vmid, args: { port: session.port } })
  const wantsPassword = call.flag('generate-password') === true
  // Before the change the ticket itself is the VNC password, of which eight bytes count.
  if (!sim.state.newVncTicket && !wantsPassword) session.password = ticket.slice(0, 8)
  return {
    user: call.who.authid,
    ticket: sim.state.newVncTicket ? `${session.password}:${ticket}` : ticket,
    ...(sim.state.newVncTicket || wantsPassword ? { password: session.password } : {}),
    cert: sim.tls().caPem,
    port: wire(session.port, traits(sim.state.version).strings.port),
    upid,
  }
}

/** Runs the checks; the upgrade itself happens in `http/websocket.ts`. */
function vncwebsocket(call: Call) {
  const { sim } = call
  const port = call.number('port')
  if (!isVncTicketOf(sim.state.ticketKey, call.text('vncticket'), claim(call, port), sim.now())) {
    throw new PveError(401, 'permission denied - invalid PVEVNC ticket')
  }
  vmOf(call)
  return { port: String(port) }
}

export const qemuConsoleRoutes = [
  route('POST /nodes/{node}/qemu/{vmid}/vncproxy', {
    permissions: onVm('VM.Console'),
    params: { ...VM_PARAMS, 'generate-password': flag(), websocket: flag() },
    handle: vncproxy,
  }),
  route('GET /nodes/{node}/qemu/{vmid}/vncwebsocket', {
    permissions: onVm('VM.Console'),
    params: {
      ...VM_PARAMS,
      port: int({ minimum: 5900, maximum: 5999 }),
      vncticket: text({ maxLength: 512 }),
    },
    handle: vncwebsocket,
  }),
]
