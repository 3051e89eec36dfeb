import { api } from '../../api/table.ts'

/** What shows tokens, or the instances they are made of. */
export const REFRESHED = [
  api.tokens.list,
  api.tokens.cancelled,
  api.tokens.nextAddress,
  api.instances.list,
  api.stats.get,
]
