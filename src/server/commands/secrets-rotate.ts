import { loadSecretKey } from '../config/secret-key.ts'
import { createKeyring } from '../secrets/keyring.ts'
import { rotateSecrets } from '../secrets/sealed-columns.ts'
import { withDatabase } from './with-database.ts'

/** Needs SECRET_KEY (the new one) and SECRET_KEY_PREVIOUS. */
await withDatabase(async ({ db }, config) => {
  const keyring = createKeyring(loadSecretKey(config), config.previousSecretKey)
  const { count, jobsWithOld } = await rotateSecrets(db, keyring)
  const next =
    jobsWithOld === 0
      ? 'SECRET_KEY_PREVIOUS can go now.'
      : `Jobs under way hold secrets of the earlier key (${jobsWithOld}): keep SECRET_KEY_PREVIOUS, start the server, and run this again when they have ended.`
  console.log(`Sealed ${count} secrets with the new key. ${next}`)
})
