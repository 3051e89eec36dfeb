import { loadSecretKey } from '../config/secret-key.ts'
import { createKeyring } from '../secrets/keyring.ts'
import { rotateSecrets } from '../secrets/sealed-columns.ts'
import { withDatabase } from './with-database.ts'

/** Needs SECRET_KEY (the new one) and SECRET_KEY_PREVIOUS. */
await withDatabase(async ({ db }, config) => {
  const keyring = createKeyring(loadSecretKey(config), config.previousSecretKey)
  const count = await rotateSecrets(db, keyring)
  console.log(`Sealed ${count} secrets with the new key. SECRET_KEY_PREVIOUS can go now.`)
})
