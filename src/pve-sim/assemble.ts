import { createServer } from 'node:https'
import { loadCluster } from './cluster-file.ts'
import { consoles } from './console/consoles.ts'
import type { Context } from './context/context.ts'
import { realInternet } from './context/internet.ts'
import { resourceCache } from './context/resources.ts'
import { timers } from './context/timers.ts'
import { workers } from './context/workers.ts'
import { control } from './faults/control.ts'
import { faultBoard } from './faults/fault-board.ts'
import { listener } from './http/listener.ts'
import { type RequestLog, requestHandler } from './http/request-handler.ts'
import { router } from './http/route.ts'
import { upgradeHandler } from './http/websocket.ts'
import { allJobs } from './job-table.ts'
import type { LinuxSupport } from './linux/linux-guests.ts'
import { noise } from './metrics/noise.ts'
import type { SimOptions } from './options.ts'
import type { Qemu } from './qemu/find-qemu.ts'
import { vmProcesses } from './qemu/vm-processes.ts'
import { ROUTES } from './route-table.ts'
import { type ClusterState, clusterState } from './state/cluster-state.ts'
import { saver } from './state/persist.ts'
import { taskRunner } from './tasks/task-runner.ts'
import { vmLocks } from './tasks/vm-locks.ts'
import { renewLeaf } from './tls/certificates.ts'
import { leafSpec } from './tls/leaf-spec.ts'

/** The cluster with its state file, which survives a restart. */
function openCluster(options: SimOptions, now: () => number) {
  const loaded = loadCluster(options, now())
  let { tls } = loaded
  const state: ClusterState = clusterState(loaded.data, { now, changed: () => disk.save() })
  const disk = saver(options.stateFile, () => ({ cluster: state, tls }))
  return {
    state,
    disk,
    tls: () => tls,
    renew(): void {
      tls = renewLeaf(tls, leafSpec(state, options.host ?? '127.0.0.1'))
      disk.save()
    },
  }
}

type Cluster = ReturnType<typeof openCluster>

/** What this machine has to run VMs as processes. */
type RealVms = { qemu: Qemu | undefined; linux: LinuxSupport | undefined }

/** What the fault board may do to the network side. */
type Network = { listening(listen: boolean): void; rotateCertificate(): void }

/** A seeded generator: the same faults strike in every run. */
function seededRandom(seed: number): () => number {
  let drawn = 0
  return () => noise(seed, drawn++)
}

function createContext(
  options: SimOptions,
  cluster: Cluster,
  network: Network,
  real: RealVms,
): Context {
  const { state, disk } = cluster
  const { now = Date.now, taskMs = 1000, lagMs = 2000, consoleWaitMs = 10_000 } = options
  const seconds = (n: number) => n * Math.min(1000, taskMs)
  const effects = {
    ...network,
    nodeOnline: (name: string, online: boolean) => state.setNodeOnline(name, online),
    quorum: (quorate: boolean) => {
      state.quorate = quorate
    },
  }
  const processes = vmProcesses({
    state,
    qemu: real.qemu,
    linux: real.linux,
    most: options.qemu ?? 0,
    disks: options.stateFile && `${options.stateFile}.disks`,
    now,
    changed: disk.save,
  })
  const context: Context = {
    state,
    now,
    taskMs,
    authDelayMs: options.authDelayMs ?? 3000,
    lagMs,
    seconds,
    tls: cluster.tls,
    resources: resourceCache({ state, now, lagMs }),
    tasks: taskRunner({ state, now, jobs: () => jobs, changed: disk.save }),
    locks: vmLocks({ seconds }),
    faults: faultBoard(effects, seededRandom(typeof options.seed === 'number' ? options.seed : 1)),
    consoles: consoles({ state, now, seconds, waitMs: consoleWaitMs, processes }),
    processes,
    timers: timers(),
    workers: workers(),
    internet: options.internet ?? realInternet,
    save: disk.save,
    entryNode: () => [...state.nodes.keys()][0] ?? '',
  }
  const jobs = allJobs(context)
  return context
}

/** Wires cluster, context, HTTPS server and listening port together. */
export function assemble(options: SimOptions, real: RealVms) {
  const cluster = openCluster(options, options.now ?? Date.now)
  const requests: RequestLog = []
  const network = {
    listening: (listen: boolean) => void (listen ? front.reopen() : front.shut()),
    rotateCertificate(): void {
      cluster.renew()
      const { leafKey, leafPem } = cluster.tls()
      https.setSecureContext({ key: leafKey, cert: leafPem })
      front.dropAll()
    },
  }
  const context = createContext(options, cluster, network, real)
  const find = router(ROUTES)
  const extra = options.control ? { control: control(context.faults) } : {}
  const handle = requestHandler({ sim: context, find, requests, ...extra })
  const sockets = upgradeHandler({ sim: context, find, requests })
  const { leafKey, leafPem } = cluster.tls()
  const https = createServer(
    { key: leafKey, cert: leafPem },
    (request, response) => void handle(request, response),
  )
  https.keepAliveTimeout = 5000
  https.on('upgrade', (request, socket, head) => void sockets.upgrade(request, socket, head))
  https.on('tlsClientError', (_, socket) => socket.destroy())
  const front = listener(https, options.host ?? '127.0.0.1')
  return { cluster, context, requests, network, front, sockets }
}
