import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fingerprintOf } from '#shared/rules/ssh/public-key.ts'
import { removeFolder } from '../src/server/testing/server-process.ts'
import { makeKey } from '../src/web/lib/ssh/make-key.ts'

const keygen = (args: string[], input = '') =>
  execFileSync('ssh-keygen', args, { encoding: 'utf8', input }).trim()

function hasKeygen(): boolean {
  try {
    execFileSync('ssh-keygen', ['-l', '-f', '/dev/null'], { stdio: 'ignore' })
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT')
  }
  return true
}

// Comments of every length modulo the block size: each needs another padding.
const COMMENTS = ['', 'a', 'ab', 'abc', 'abcd', 'abcde', 'abcdef', 'abcdefg', 'robin’s laptop']

describe.skipIf(!hasKeygen())(
  'a key made in the browser, to ssh-keygen (skipped without it)',
  () => {
    test.each(COMMENTS)('is a whole key with the comment %j', async (comment) => {
      const { publicKey, privateKeyFile } = await makeKey(comment)
      const folder = mkdtempSync(join(tmpdir(), 'hushbox-key-'))
      const file = join(folder, 'id_ed25519')
      try {
        writeFileSync(file, privateKeyFile, { mode: 0o600 })
        chmodSync(file, 0o600)
        expect(keygen(['-y', '-f', file])).toBe(`${publicKey} ${comment}`.trim())
        writeFileSync(`${file}.pub`, publicKey)
        expect(keygen(['-l', '-f', `${file}.pub`]).split(' ')[1]).toBe(
          await fingerprintOf(publicKey),
        )
        // One half signs, the other verifies: they belong together.
        const text = join(folder, 'text')
        writeFileSync(text, 'hello')
        keygen(['-Y', 'sign', '-q', '-f', file, '-n', 'test', text])
        keygen(['-Y', 'check-novalidate', '-n', 'test', '-s', `${text}.sig`], 'hello')
      } finally {
        removeFolder(folder)
      }
    })
  },
)
