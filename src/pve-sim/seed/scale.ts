import { noise } from '../metrics/noise.ts'
import type { ClusterData } from '../state/types.ts'
import { seedNode, seedRoot, seedStorages, seedVm } from './parts.ts'

type Scale = { nodes: number; vms: number; seed: number }

/** Any number of nodes and VMs, spread by a seed: the same seed gives the same cluster. */
export function seedScale(data: ClusterData, scale: Scale, password: string, now: number): void {
  const names = Array.from({ length: Math.max(1, scale.nodes) }, (_, i) => `pve${i + 1}`)
  for (const [index, name] of names.entries()) seedNode(data, name, index, now)
  seedStorages(data)
  data.firewallOptions = { enable: 1 }
  const pick = (n: number, count: number) => Math.floor(noise(scale.seed, n) * count)
  for (let i = 0; i < scale.vms; i++) {
    const vmid = 100 + i
    const cores = 1 << pick(i * 4, 4)
    seedVm(
      data,
      {
        vmid,
        node: names[i % names.length] ?? 'pve1',
        name: `vm-${vmid}`,
        storage: pick(i * 4 + 1, 3) === 0 ? 'ceph-vm' : 'local-lvm',
        diskGiB: 20 * (1 + pick(i * 4 + 2, 6)),
        cores,
        memory: cores * 2048,
        qmp: pick(i * 4 + 3, 5) === 0 ? 'stopped' : 'running',
        template: i < 2,
      },
      now,
    )
  }
  seedRoot(data, password)
}
