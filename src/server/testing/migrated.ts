import { createHash } from 'node:crypto'
import {
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wrapPglite } from '../db/connect/embedded.ts'
import { createPglite } from '../db/connect/pglite.ts'
import { migrate } from '../db/migrate.ts'

// Creating an embedded database and migrating it takes five seconds of processor time; a copy of
// one takes a moment. Both kinds of copy are kept while the migrations are unchanged.

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/hushbox')
const MIGRATIONS = join(import.meta.dirname, '../db/migrations')

/** The path of a dump of a migrated embedded database. */
export async function migratedDump(): Promise<string> {
  const file = join(CACHE, `pglite-${version()}.tar`)
  if (existsSync(file)) return file
  const pglite = await createPglite()
  await migrate(wrapPglite(pglite, async () => {}))
  const dump = await pglite.dumpDataDir('none')
  await pglite.close()
  mkdirSync(CACHE, { recursive: true })
  const part = `${file}.${process.pid}`
  writeFileSync(part, Buffer.from(await dump.arrayBuffer()))
  renameSync(part, file)
  return file
}

/** A new data folder of the product, with a migrated embedded database. */
export async function migratedFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'hushbox-data-'))
  const options = { recursive: true, mode: constants.COPYFILE_FICLONE }
  cpSync(await templateFolder(), join(folder, 'pglite'), options)
  return folder
}

async function templateFolder(): Promise<string> {
  const template = join(CACHE, `pglite-${version()}`)
  if (existsSync(template)) return template
  const part = `${template}.${process.pid}`
  const loadDataDir = new Blob([readFileSync(await migratedDump())])
  await (await createPglite({ dataDir: part, loadDataDir })).close()
  try {
    renameSync(part, template)
  } catch (error) {
    // Another worker was faster.
    if (!existsSync(template)) throw error
    rmSync(part, { recursive: true })
  }
  return template
}

function version(): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(MIGRATIONS).sort()) {
    if (file.endsWith('.sql')) hash.update(readFileSync(join(MIGRATIONS, file)))
  }
  return hash.digest('hex').slice(0, 16)
}
