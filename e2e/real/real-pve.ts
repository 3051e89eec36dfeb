import type { APIRequestContext } from '@playwright/test'
import type { ProxmoxClient } from '../../src/proxmox/client.ts'
import type { Credentials } from '../acts/people.ts'

/** A real cluster, asked without the product: the pages are compared with its answers. */
export type Pve = {
  client: ProxmoxClient
  /** With the same account, for what the product never asks. */
  raw: APIRequestContext
  address: { host: string; port: number }
  buyer?: Credentials
}
type Asked = Pick<Pve, 'client'>

export const find = async ({ client }: Asked, vmid: number) =>
  (await client.cluster.resources({ type: 'vm' })).find((one) => one.vmid === vmid)

export async function placeOf(pve: Asked, vmid: number) {
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

/** The images beside this one. */
export async function isosOf(pve: Pve, vmid: number, volume: string) {
  const { node } = await placeOf(pve, vmid)
  const [storage = ''] = volume.split(':')
  const at = `/api2/json/nodes/${node}/storage/${storage}/content?content=iso`
  const { data } = (await (await pve.raw.get(at)).json()) as {
    data: { volid: string; size: number }[]
  }
  return data
}

/** What the guest agent reports; fails while the guest boots. */
export const addressesOf = async (pve: Asked, vmid: number) =>
  (await pve.client.qemu.guestInterfaces(await placeOf(pve, vmid))).flatMap(({ addresses }) =>
    addresses.map(({ address }) => address),
  )

export async function destroy(client: ProxmoxClient, vmid: number): Promise<void> {
  if (!(await find({ client }, vmid))) return
  const vm = await placeOf({ client }, vmid)
  if ((await client.qemu.status(vm)).status === 'running')
    await client.tasks.wait(await client.qemu.stop(vm))
  await client.tasks.wait(await client.qemu.remove(vm))
}
