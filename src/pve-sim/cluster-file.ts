import type { SimOptions } from './options.ts'
import { seedDemo } from './seed/demo.ts'
import { newPassword } from './seed/parts.ts'
import { seedScale } from './seed/scale.ts'
import { emptyCluster } from './state/cluster-state.ts'
import { loadState } from './state/persist.ts'
import type { ClusterData, TlsMaterial } from './state/types.ts'
import { traits } from './state/versions.ts'
import { createTls } from './tls/certificates.ts'
import { leafSpec } from './tls/leaf-spec.ts'

export type Cluster = { data: ClusterData; tls: TlsMaterial }

function newCluster(options: SimOptions, now: number): Cluster {
  const data = emptyCluster(options.version ?? '9.1')
  data.standalone = options.standalone ?? false
  const password = options.password ?? newPassword()
  const { seed = 'demo', nodes, vms } = options
  if (seed === 'demo' && nodes === undefined && vms === undefined) seedDemo(data, password, now)
  else {
    const number = seed === 'demo' ? 1 : seed
    seedScale(data, { nodes: nodes ?? 2, vms: vms ?? 20, seed: number }, password, now)
  }
  return { data, tls: createTls(leafSpec(data, options.host ?? '127.0.0.1')) }
}

/** The saved cluster, or a new one. Explicit options win over saved values. */
export function loadCluster(options: SimOptions, now: number): Cluster {
  const saved = options.stateFile ? loadState(options.stateFile) : undefined
  if (!saved) return newCluster(options, now)
  const data = saved.cluster
  if (options.version && options.version !== data.version) {
    data.version = options.version
    data.newVncTicket = traits(options.version).newVncTicket
  }
  const root = data.users.get('root@pam')
  if (root && options.password) root.password = options.password
  return { data, tls: saved.tls }
}
