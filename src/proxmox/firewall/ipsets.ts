import { z } from 'zod'
import type { VmRef } from '../calls/vm-answers.ts'
import type { Caller, CallOptions } from '../transport/call.ts'
import { path } from '../wire/encoding.ts'
import { NamedSet, Nothing, SetMember } from './answers.ts'

export function firewallSetCalls(call: Caller) {
  return {
    async sets({ node, vmid }: VmRef, options?: CallOptions): Promise<string[]> {
      const at = path`/nodes/${node}/qemu/${vmid}/firewall/ipset`
      return (await call.get(at, z.array(NamedSet), options)).map(({ name }) => name)
    },

    async addSet({ node, vmid }: VmRef, name: string, options?: CallOptions) {
      const at = path`/nodes/${node}/qemu/${vmid}/firewall/ipset`
      await call.send('POST', at, Nothing, { ...options, parameters: { name } })
    },

    /** With all that is in it (from 7.4). */
    async removeSet({ node, vmid }: VmRef, name: string, options?: CallOptions) {
      const at = path`/nodes/${node}/qemu/${vmid}/firewall/ipset/${name}`
      await call.send('DELETE', at, Nothing, { ...options, parameters: { force: true } })
    },

    members: ({ node, vmid }: VmRef, name: string, options?: CallOptions) =>
      call.get(
        path`/nodes/${node}/qemu/${vmid}/firewall/ipset/${name}`,
        z.array(SetMember),
        options,
      ),

    async addMember({ node, vmid }: VmRef, name: string, cidr: string, options?: CallOptions) {
      const at = path`/nodes/${node}/qemu/${vmid}/firewall/ipset/${name}`
      await call.send('POST', at, Nothing, { ...options, parameters: { cidr } })
    },

    /** `cidr` as PVE lists it: written otherwise, nothing is removed, without an error. */
    async removeMember({ node, vmid }: VmRef, name: string, cidr: string, options?: CallOptions) {
      const at = path`/nodes/${node}/qemu/${vmid}/firewall/ipset/${name}/${cidr}`
      await call.send('DELETE', at, Nothing, { ...options })
    },
  }
}
