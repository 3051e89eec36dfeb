import { runOperatorAct } from './run-operator-act.ts'

/** `npm run admin`: also while the server runs. */
await runOperatorAct(({ adminEmail: email, adminPassword: password }) => ({
  act: 'admin-reset',
  email,
  ...(password === undefined ? {} : { password }),
}))
