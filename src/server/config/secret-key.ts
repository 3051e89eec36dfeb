import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'

type KeyConfig = Pick<Config, 'secretKey' | 'dataDir'>

/** The configured key, else one generated once and kept beside the embedded database. */
export function loadSecretKey(config: KeyConfig): string {
  const existing = findSecretKey(config)
  if (existing !== undefined) return existing
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const key = randomBytes(32).toString('base64url')
  writeFileSync(keyFile(config), `${key}\n`, { mode: 0o600, flag: 'wx' })
  return key
}

/** The key of this installation, if it has one yet. */
export function findSecretKey(config: KeyConfig): string | undefined {
  if (config.secretKey !== undefined) return config.secretKey
  try {
    return readFileSync(keyFile(config), 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const keyFile = ({ dataDir }: KeyConfig) => join(dataDir, 'secret.key')
