import { eq } from 'drizzle-orm'
import { instances, tokens } from '../../db/schema/stock.ts'
import { retireHostKeys } from '../../host-keys/host-key-rows.ts'
import { replaceKeysOn } from '../../inventory/vm/server-keys.ts'
import type { Step } from '../../jobs/job-definition.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { storePassword } from '../../tokens/fresh-password.ts'
import { markLoginSet } from '../../tokens/handover-rows.ts'
import { publishTokenChange } from '../../tokens/publish-token-change.ts'
import { openPassword } from '../../tokens/token-rows.ts'
import { forgetLogin, storedLogin } from '../hold/stored-login.ts'
import { hold, type ReinstallContext, type ReinstallInput } from './reinstall-state.ts'

/**
 * From here on the new system is the client's, in one transaction: its name, its login and its keys.
 * Until then the old ones were valid, so that nothing has to be restored.
 */
export function commitStep(deps: JobDeps): Step<ReinstallInput> {
  const { db, clock, events, audit, keyring } = deps

  const run = ({ jobId, input }: ReinstallContext) =>
    db.transaction(async (tx) => {
      const login = await storedLogin(tx, jobId)
      // Forgotten together with the rest, by an earlier run.
      if (!login) return
      const { token, instance } = hold.requireWanted(await hold.lockHeld(tx, input))
      const { osType, templateId } = input
      const { username, sshKeys, password } = login
      await tx.update(tokens).set({ osType, templateId, username }).where(eq(tokens.id, token.id))
      const opened = password === null ? '' : openPassword(keyring, { ...token, password })
      await storePassword(tx, token, opened, keyring)
      await replaceKeysOn(tx, instance.id, sshKeys)
      await markLoginSet(tx, instance.id, clock.now())
      await retireHostKeys(tx, instance.id, clock.now())
      await tx
        .update(instances)
        .set({ templateId, status: 'running', powerFailure: null, lastUpdated: clock.now() })
        .where(eq(instances.id, instance.id))
      await forgetLogin(tx, jobId)
      await publishTokenChange(tx, events, instance.ownerId)
      await audit.record(tx, undefined, {
        action: 'instance.reinstalled',
        target: `instance:${instance.id}`,
        details: { osType },
      })
    })

  return { name: 'commit', run }
}
