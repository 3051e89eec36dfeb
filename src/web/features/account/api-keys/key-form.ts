import type { KeyScope } from '#shared/rules/people/key-scopes.ts'

export type KeyFields = {
  name: string
  scopes: readonly KeyScope[]
  instanceIds: readonly number[]
  dailyLimit: string
  lastDay: string
  networks: string
  password: string
}

export const EMPTY_KEY: KeyFields = {
  name: '',
  scopes: ['servers:read'],
  instanceIds: [],
  dailyLimit: '',
  lastDay: '',
  networks: '',
  password: '',
}

/** The body of the call: what was left empty is not in it, nor what another choice has hidden. */
export function wishOf(fields: KeyFields) {
  const { name, scopes, instanceIds, dailyLimit, lastDay, networks, password } = fields
  const cidrs = networks.split(/[\s,]+/).filter((text) => text !== '')
  const hasMoney = scopes.some((scope) => scope.startsWith('billing:'))
  return {
    name,
    scopes,
    ...(instanceIds.length > 0 && !hasMoney && { instanceIds }),
    ...(scopes.includes('billing:spend') && dailyLimit.trim() !== '' && { dailyLimit }),
    // To the end of that day, in the person's own time.
    ...(lastDay !== '' && { expiresAt: new Date(`${lastDay}T23:59:59.999`).toISOString() }),
    ...(cidrs.length > 0 && { cidrs }),
    ...(password !== '' && { password }),
  }
}
