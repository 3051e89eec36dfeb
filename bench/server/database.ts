import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createSessions, type Sessions } from '../../src/server/sessions/sessions.ts'
import { startPostgres } from '../../src/server/testing/postgres.ts'
import { inDatabase } from '../../src/server/testing/prepare.ts'
import { removeFolder } from '../../src/server/testing/server-process.ts'
import { atLeast, type Figure } from '../figure.ts'
import { perSecond, SECONDS, shareOf } from '../share.ts'

/** The share that the bare driver reached in the design. */
const GOAL = 0.43

const run = promisify(execFile)

const QUESTION = `select s.*, u.*, c.* from sessions s join users u on u.id = s.user_id
  left join users c on c.id = s.simulated_user_id where s.token_hash = :hash;`

/**
 * The session query of every request, against pgbench with the same query. Sequential: our
 * concurrent requests would share an answer, which pgbench cannot do.
 */
export async function measureDatabase(): Promise<Figure[]> {
  if (!(await hasPgbench())) {
    console.warn('The share of pgbench is not measured: it comes with an installed PostgreSQL.')
    return []
  }
  const postgres = await startPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'hushbox-bench-'))
  const env = { DATABASE_URL: postgres.url, SECRET_KEY: 'a key for the benchmark, long enough' }
  try {
    return await inDatabase(env, folder, async ({ deps, visitor }) => {
      const { cookie } = await visitor()
      const sessions = createSessions(deps)
      const token = cookie.slice(cookie.indexOf('=') + 1)
      const { share, limit } = await shareOf(
        () => perSecond(() => requireSession(sessions, token), 1),
        () => pgbench(postgres.url, folder, createHash('sha256').update(token).digest('hex')),
      )
      const what = `whose session, one after the other: share of pgbench (${limit}/s)`
      return [atLeast(what, share, GOAL)]
    })
  } finally {
    await postgres.stop()
    removeFolder(folder)
  }
}

const hasPgbench = () =>
  run('pgbench', ['--version']).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )

async function requireSession(sessions: Sessions, token: string): Promise<void> {
  if (!(await sessions.resolve(token))) throw new Error('the session was not found')
}

async function pgbench(url: string, folder: string, hash: string): Promise<number> {
  const file = join(folder, 'question.sql')
  writeFileSync(file, QUESTION)
  const load = ['-n', '-M', 'prepared', '-c', '1', '-j', '1', '-T', `${SECONDS}`]
  const { stdout } = await run('pgbench', [...load, ...['-f', file, '-D', `hash=${hash}`, url]])
  const [, rate] = /tps = ([\d.]+)/.exec(stdout) ?? []
  if (rate === undefined) throw new Error(`pgbench said nothing of its rate:\n${stdout}`)
  return Number(rate)
}
