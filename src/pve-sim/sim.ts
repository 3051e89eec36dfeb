import { assemble } from './assemble.ts'
import type { Faults } from './faults/fault-board.ts'
import type { RequestLog } from './http/request-handler.ts'
import { findSupport, type LinuxFound } from './linux/find-support.ts'
import type { SimOptions } from './options.ts'
import { findQemu } from './qemu/find-qemu.ts'
import type { VmProcesses } from './qemu/vm-processes.ts'
import type { ClusterState } from './state/cluster-state.ts'
import { fingerprint } from './tls/certificates.ts'

export type Sim = {
  url: string
  host: string
  port: number
  /** SHA-256 of the leaf, AA:BB:… */
  fingerprint: string
  caPem: string
  certPem: string
  username: 'root@pam'
  password: string
  apiToken: { id: string; secret: string }
  faults: Faults
  state: ClusterState
  /** The last thousand requests, without their queries. */
  requests: RequestLog
  /**
   * The QEMU that runs VMs, and the folder of their control sockets; undefined: screens are
   * simulated.
   */
  qemu: { version: string; folder: string; dropped: VmProcesses['dropped'] } | undefined
  /** Real Linux guests, or why there are none; undefined without QEMU or if unwanted. */
  linux: LinuxFound | undefined
  rotateCertificate(): Promise<void>
  close(): Promise<void>
}

const TOKEN = 'root@pam!hushbox'

/** Starts a Proxmox VE cluster that exists only in this process. */
export async function startSim(options: SimOptions = {}): Promise<Sim> {
  const qemu = options.qemu ? await findQemu() : undefined
  const linux = qemu && options.linux ? await findSupport(qemu.program, options.linux) : undefined
  const real = { qemu, linux: linux && 'support' in linux ? linux.support : undefined }
  const { cluster, context, requests, network, front, sockets } = assemble(options, real)
  const { folder } = context.processes
  const { state, disk, tls } = cluster
  const host = options.host ?? '127.0.0.1'
  const port = await front.open(options.port ?? 0)
  disk.save()
  context.tasks.resume()
  void context.processes.resumeGuests()
  // pvestatd has made a round before the first request.
  context.resources.read()
  return {
    url: `https://${host}:${port}`,
    host,
    port,
    get fingerprint() {
      return fingerprint(tls().leafPem)
    },
    get caPem() {
      return tls().caPem
    },
    get certPem() {
      return tls().leafPem
    },
    username: 'root@pam',
    get password() {
      return state.users.get('root@pam')?.password ?? ''
    },
    apiToken: { id: TOKEN, secret: state.tokens.get(TOKEN)?.secret ?? '' },
    faults: context.faults,
    state,
    requests,
    qemu:
      qemu && folder
        ? { version: qemu.version, folder, dropped: context.processes.dropped }
        : undefined,
    linux,
    async rotateCertificate() {
      network.rotateCertificate()
    },
    async close() {
      context.timers.close()
      context.tasks.close()
      context.consoles.close()
      sockets.close()
      await context.processes.close()
      await front.shut()
      disk.close()
    },
  }
}
