import { permissionReader } from '../access/permissions.ts'
import { optText, text } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import type { Pool } from '../state/types.ts'
import { die } from '../wire/errors.ts'

const POOLID = { format: 'pve-poolid' } as const
const TYPES = ['qemu', 'lxc', 'storage']

function members(call: Call, pool: Pool) {
  const { state } = call.sim
  const type = call.optional('type')
  const cache = call.sim.resources.read()
  const vms = pool.vms.flatMap((vmid) => {
    const vm = state.vms.get(vmid)
    return vm ? [cache.vm(vm, undefined)] : []
  })
  const storages = cache.storages((id) => pool.storages.includes(id))
  return [...vms, ...storages].filter((row) => type === undefined || row.type === type)
}

function poolOf(call: Call): Pool {
  const pool = call.sim.state.pools.get(call.text('poolid'))
  if (!pool) throw die(`pool '${call.text('poolid')}' does not exist`)
  return pool
}

function list(call: Call) {
  const { state } = call.sim
  const may = permissionReader(state, call.who)
  const row = ({ poolid, comment }: Pool) => ({ poolid, ...(comment ? { comment } : {}) })
  if (call.all.has('poolid')) {
    const pool = poolOf(call)
    if (!may.has(`/pool/${pool.poolid}`, 'Pool.Audit')) return []
    return [{ ...row(pool), members: members(call, pool) }]
  }
  return [...state.pools.values()]
    .filter(({ poolid }) => may.has(`/pool/${poolid}`, 'Pool.Audit'))
    .map(row)
}

export const poolRoutes = [
  route('GET /pools', {
    permissions: 'all',
    params: {
      poolid: optText({ ...POOLID, since: '8.2' }),
      type: optText({ enum: TYPES, requires: 'poolid', since: '8.2' }),
    },
    handle: list,
  }),
  route('GET /pools/{poolid}', {
    permissions: { perm: '/pool/{poolid}', privileges: ['Pool.Audit'] },
    params: { poolid: text(POOLID), type: optText({ enum: TYPES }) },
    handle: (call) => {
      const pool = poolOf(call)
      const comment = pool.comment ? { comment: pool.comment } : {}
      return { poolid: pool.poolid, ...comment, members: members(call, pool) }
    },
  }),
]
