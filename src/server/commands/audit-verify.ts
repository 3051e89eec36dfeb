import { verifyAudit } from '../audit/verify-audit.ts'
import { withDatabase } from './with-database.ts'

await withDatabase(async ({ db }) => {
  const { entries, brokenAt } = await verifyAudit(db)
  if (brokenAt === undefined) {
    console.log(`The audit log is whole: ${entries} entries, each sealed by the one before.`)
    return
  }
  console.error(
    `The audit log was changed: entry ${brokenAt} does not fit (${entries} before it do).`,
  )
  process.exitCode = 1
})
