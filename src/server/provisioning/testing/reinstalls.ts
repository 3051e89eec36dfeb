import { asc, eq } from 'drizzle-orm'
import { api } from '#shared/api/index.ts'
import { operatingSystems } from '../../db/schema/infrastructure.ts'
import { sshKeys } from '../../db/schema/ssh-keys.ts'
import { instances } from '../../db/schema/stock.ts'
import { jobSteps } from '../../db/schema/work.ts'
import { keysOn } from '../../inventory/vm/server-keys.ts'
import type { Person, SimApp } from '../../testing/test-app.ts'
import { openPassword } from '../../tokens/token-rows.ts'
import { actorOf, byHand } from './by-hand.ts'
import { openShop } from './shop.ts'

const SYSTEMS = ['Ubuntu 22.04', 'Debian 12', 'Windows Server 2025', 'Arch Linux']
export const UBUNTU = { vmId: 9000, osType: 'Ubuntu 22.04' }

type Client = Awaited<ReturnType<SimApp['make']['client']>>
export type SoldServer = { id: number; vmId: number; user: Client; tokenId: number; name: string }
type Body = {
  osType?: string
  sshKeyIds?: number[]
  userData?: string
  confirm?: string
  snapshotFirst?: boolean
}

/** Servers to reinstall, with jobs that run when the test says so. */
export async function openReinstalls(t: SimApp) {
  const shop = await openShop(t)
  const hand = byHand(t)
  hand.takeOver()
  await t.db
    .insert(operatingSystems)
    .values(SYSTEMS.map((name) => ({ name })))
    .onConflictDoNothing()

  const vmOf = ({ vmId }: SoldServer) => {
    const vm = t.sim.state.vms.get(vmId)
    if (!vm) throw new Error(`the cluster has no VM ${vmId}`)
    return vm
  }

  return {
    shop,
    hand,
    vmOf,

    async server(owner?: Client): Promise<SoldServer> {
      const token = await shop.token()
      const user = owner ?? (await t.make.client())
      const { jobId } = await hand.sales.claim(actorOf(user), token.tokenId, 'purchase')
      await hand.runToEnd(jobId)
      const { assignedInstanceId, proxmoxVmId } = await shop.tokenRow(token.id)
      return {
        id: assignedInstanceId ?? 0,
        vmId: proxmoxVmId ?? 0,
        user,
        tokenId: token.id,
        name: token.name,
      }
    },

    ask: (who: Person, { id, name }: SoldServer, body: Body = {}) =>
      t.as(who).attempt(api.servers.reinstall, {
        params: { id },
        body: { osType: UBUNTU.osType, confirm: name, ...body },
      }),

    /** A key of this person's ring. */
    async key(who: Person, publicKey: string) {
      const body = { name: 'laptop', publicKey }
      const { id } = await t.as(who).call(api.sshKeys.add, { body })
      const [row] = await t.db.select().from(sshKeys).where(eq(sshKeys.id, id))
      return { id, publicKey: row?.publicKey ?? '' }
    },

    async row({ id }: SoldServer) {
      const [row] = await t.db.select().from(instances).where(eq(instances.id, id))
      if (!row) throw new Error('the instance is gone')
      return row
    },

    /** The login in our tables, and the one the VM was last started with. */
    async logins(server: SoldServer) {
      const token = await shop.tokenRow(server.tokenId)
      const { config, guest } = vmOf(server)
      const password = openPassword(t.deps.keyring, token)
      const keys = await keysOn(t.db, server.id)
      return {
        stored: { user: token.username, password, keys: keys.join('\n') },
        given: {
          user: config.ciuser,
          password: guest.password,
          keys: decodeURIComponent(config.sshkeys ?? ''),
        },
        booted: guest.booted,
      }
    },

    /** What a reinstallation never changes. */
    identity(server: SoldServer) {
      const { vmid, config, node } = vmOf(server)
      const { net0, ipconfig0, smbios1, description, name, onboot } = config
      return { vmid, node, net0, ipconfig0, smbios1, description, name, onboot }
    },

    disks: (server: SoldServer) =>
      [...t.sim.state.volumes.values()]
        .filter(({ vmid, volid }) => vmid === server.vmId && !volid.includes('cloudinit'))
        .map(({ volid }) => volid),

    stepsOf: (jobId: string) =>
      t.db
        .select()
        .from(jobSteps)
        .where(eq(jobSteps.jobId, jobId))
        .orderBy(asc(jobSteps.startedAt)),
  }
}
