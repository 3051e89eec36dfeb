import { api } from '../../api/table.ts'

/** The routes to read again after a change: all that show tokens, or the instances behind them. */
export const TOKENS_CHANGED = [
  api.tokens.list,
  api.tokens.cancelled,
  api.tokens.nextAddress,
  api.instances.list,
  api.stats.get,
]
