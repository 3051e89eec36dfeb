import type { ProxmoxClient } from '../src/proxmox/client.ts'
import type { Credentials } from './people.ts'

/** A real cluster, asked without the product: the pages are compared with its answers. */
export type Pve = {
  client: ProxmoxClient
  address: { host: string; port: number }
  buyer?: Credentials
}
type Asked = Pick<Pve, 'client'>

export const find = async ({ client }: Asked, vmid: number) =>
  (await client.cluster.resources({ type: 'vm' })).find((one) => one.vmid === vmid)

async function placeOf(pve: Asked, vmid: number) {
  const found = await find(pve, vmid)
  if (!found?.node) throw new Error(`the cluster has no VM ${vmid}`)
  return { node: found.node, vmid }
}

/** Live: listed values lag by some ten seconds. */
export const stateOf = async (pve: Asked, vmid: number) =>
  pve.client.qemu.status(await placeOf(pve, vmid))

export const configOf = async (pve: Asked, vmid: number) =>
  (await pve.client.qemu.config(await placeOf(pve, vmid))).values

/** In use or not, without the drive of cloud-init. */
export const disksOf = async (pve: Asked, vmid: number) =>
  Object.keys(await configOf(pve, vmid)).filter((key) => /^(scsi|virtio|unused)\d+$/.test(key))

export async function destroy(client: ProxmoxClient, vmid: number): Promise<void> {
  if (!(await find({ client }, vmid))) return
  const vm = await placeOf({ client }, vmid)
  if ((await client.qemu.status(vm)).status === 'running')
    await client.tasks.wait(await client.qemu.stop(vm))
  await client.tasks.wait(await client.qemu.remove(vm))
}
