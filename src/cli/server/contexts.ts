import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { misuse } from '../terminal/failure.ts'

/** One server and the key for it. */
type Context = { url: string; key: string; socks?: string | undefined }
export type Contexts = { current: string; contexts: Record<string, Context> }

type Env = Record<string, string | undefined>

/** The XDG base directory specification ignores a path that is not absolute. */
export function fileOf(env: Env): string {
  const given = env.XDG_CONFIG_HOME
  const base = given?.startsWith('/') ? given : join(env.HOME || homedir(), '.config')
  return join(base, 'hushbox', 'config.json')
}

const EMPTY: Contexts = { current: 'default', contexts: {} }

export function readContexts(env: Env): Contexts {
  const file = fileOf(env)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return EMPTY
    throw misuse(`${file} cannot be read.`)
  }
  const isOpen = process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0
  if (isOpen) throw misuse(`Others can read the keys in ${file}. Run: chmod 600 ${file}`)
  return parse(text) ?? fail(`${file} is damaged. Delete it and sign in again: hushbox login.`)
}

export function writeContexts(env: Env, contexts: Contexts): void {
  const file = fileOf(env)
  const fresh = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(fresh, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 })
    // A umask can take bits away, and nothing adds them; an old file of this name could have more.
    chmodSync(fresh, 0o600)
    renameSync(fresh, file)
  } catch {
    throw misuse(`${file} cannot be written.`)
  }
}

function fail(sentence: string): never {
  throw misuse(sentence)
}

function parse(text: string): Contexts | undefined {
  try {
    const value = JSON.parse(text) as Contexts
    const isWhole =
      typeof value.current === 'string' &&
      Object.values(value.contexts).every(
        ({ url, key }) => typeof url === 'string' && typeof key === 'string',
      )
    return isWhole ? value : undefined
  } catch {
    return undefined
  }
}
