import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { exportSql } from '../db/export.ts'
import { withDatabase } from './with-database.ts'

const target = process.argv[2]

await withDatabase(async (database) => {
  if (!target) throw new Error('Say where to: npm run db:export -- hushbox.sql')
  // Readable by its owner alone: it contains password hashes and sealed secrets.
  await pipeline(
    Readable.from(exportSql(database)),
    createWriteStream(target, { mode: 0o600, flags: 'wx' }),
  )
  console.log(`Written to ${target}. Keep the SECRET_KEY with it: the secrets in it are sealed.`)
})
