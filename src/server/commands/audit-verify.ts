import { runOperatorAct } from './run-operator-act.ts'

/** `npm run audit:verify`: also while the server runs. */
await runOperatorAct(() => ({ act: 'audit-verify' }))
