import { api } from '../../api/table.ts'

/** What is read again after a change: all that shows tokens, or the instances they are made of. */
export const TOKENS_CHANGED = [
  api.tokens.list,
  api.tokens.cancelled,
  api.tokens.nextAddress,
  api.instances.list,
  api.stats.get,
]
