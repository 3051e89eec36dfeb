import { runOperatorAct } from './run-operator-act.ts'

/** `npm run audit:verify`: works while the server runs, too. */
await runOperatorAct(() => ({ act: 'audit-verify' }))
