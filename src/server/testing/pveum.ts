import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Sim } from '#pve-sim/sim.ts'
import { allPrivileges } from '#pve-sim/state/privileges.ts'

const GUIDE = new URL('../../../docs/operator-guide.md', import.meta.url)

/** The commands of the operator guide's section on clusters, as an operator would paste them. */
export function guideCommands(version: string): string[] {
  const guide = readFileSync(GUIDE, 'utf8')
  const section = guide.split('## Connect a cluster')[1]?.split('\n## ')[0] ?? ''
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text)
  const [common = '', ...more] = blocks
  const forVersion = more.filter((text) => text.includes(`# Proxmox VE ${version.split('.')[0]}`))
  return [common, ...forVersion]
    .join('\n')
    .split('\n')
    .filter((line) => line.startsWith('pveum'))
}

/** Quoted text is one word. */
const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')

/**
 * Does what `pveum` would do, and fails where it would: for a privilege the release does not know,
 * or a missing role or user. Returns the secrets of the created tokens.
 */
export function pveum(sim: Sim, lines: readonly string[]): Map<string, string> {
  const secrets = new Map<string, string>()
  for (const line of lines) {
    const [first = '', ...others] = line.split(' || ')
    try {
      run(sim, words(first), secrets)
    } catch (error) {
      const [second] = others
      if (second === undefined) throw new Error(`${first}: ${String(error)}`)
      if (second !== 'true') run(sim, words(second), secrets)
    }
  }
  return secrets
}

function run({ state }: Sim, all: string[], secrets: Map<string, string>): void {
  const options = new Map<string, string>()
  const rest = all.slice(1)
  const plain: string[] = []
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word.startsWith('--')) options.set(word.slice(2), rest.shift() ?? '')
    else plain.push(word)
  }
  const [kind = '', ...args] = plain
  const option = (name: string) => options.get(name) ?? ''
  const command = args[0] === 'token' ? `${kind} token ${args[1]}` : `${kind} ${args[0]}`
  const [name = '', tokenid = ''] = args.slice(args[0] === 'token' ? 2 : 1)
  switch (command) {
    case 'user add':
      if (state.users.has(name)) throw new Error('user already exists')
      return void state.users.set(name, { userid: name, password: '', enable: true, expire: 0 })
    case 'user token add': {
      if (!state.users.has(name)) throw new Error(`no such user ('${name}')`)
      const secret = randomUUID()
      secrets.set(`${name}!${tokenid}`, secret)
      const privsep = option('privsep') === '1'
      const token = { userid: name, tokenid, secret, privsep, expire: 0 }
      return void state.tokens.set(`${name}!${tokenid}`, token)
    }
    case 'pool add':
      if (state.pools.has(name)) throw new Error('pool already exists')
      return void state.pools.set(name, { poolid: name, vms: [], storages: [] })
    case 'pool modify': {
      const pool = state.pools.get(name)
      if (!pool) throw new Error(`pool '${name}' does not exist`)
      for (const other of state.pools.values()) {
        const moved = option('vms').split(',').map(Number)
        other.vms = other.vms.filter((vmid) => !moved.includes(vmid))
      }
      return void pool.vms.push(...option('vms').split(',').map(Number))
    }
    case 'role add':
    case 'role modify': {
      if ((command === 'role add') === state.roles.has(name)) throw new Error(`role '${name}'`)
      const privileges = option('privs').split(' ')
      const known = new Set(allPrivileges(state.version))
      for (const one of privileges) if (!known.has(one)) throw new Error(`invalid privilege ${one}`)
      const before = options.has('append') ? (state.roles.get(name) ?? []) : []
      return void state.roles.set(name, [...before, ...privileges])
    }
    case 'acl modify': {
      const roleid = option('roles')
      if (!state.roles.has(roleid)) throw new Error(`role '${roleid}' does not exist`)
      const type = options.has('tokens') ? 'token' : 'user'
      const ugid = option(`${type}s`)
      return void state.acls.push({ path: name, type, ugid, roleid, propagate: true })
    }
    default:
      throw new Error(`unknown command: ${all.join(' ')}`)
  }
}
