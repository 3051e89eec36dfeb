import { runOperatorAct } from './run-operator-act.ts'

/** `npm run admin`: works while the server runs, too. */
await runOperatorAct(({ adminEmail: email, adminPassword: password }) => ({
  act: 'admin-reset',
  email,
  ...(password === undefined ? {} : { password }),
}))
