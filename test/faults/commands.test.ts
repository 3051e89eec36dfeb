import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { verifyBackup } from '../../src/server/backup/backup.ts'
import { atEnd } from '../../src/server/testing/at-end.ts'
import {
  ADMIN,
  removeFolder,
  runCommand,
  signIn,
  startProcess,
} from '../../src/server/testing/server-process.ts'

const SECRET_KEY = 'a key for commands beside a server'

describe('beside a running server on the embedded database', async () => {
  const server = await startProcess({ DEMO: '0', SECRET_KEY })
  afterAll(async () => {
    await server.stop()
    removeFolder(server.dataDir)
  })
  const here = { DATA_DIR: server.dataDir, SECRET_KEY }

  test('the audit log is verified by the server itself', async () => {
    const told = await runCommand('audit-verify', [], here)
    expect(told).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^The audit log is whole: \d+ entries/),
    })
  })

  test('the administrator gets a new password, which works at once and ends the old sessions', async () => {
    const before = await signIn(server.url)
    const { code, output } = await runCommand('admin-reset', [], here)
    expect({ code, output }).toMatchObject({ code: 0 })
    const [line = '', password = ''] = output.trim().split('\n')
    expect(line).toBe(`${ADMIN.email} now signs in with the password`)
    expect((await before('/api/auth/me')).status).toBe(401)
    await expect(signIn(server.url)).rejects.toThrow('sign-in failed: 401')
    const call = await signIn(server.url, { email: ADMIN.email, password })
    expect((await call('/api/auth/me')).status).toBe(200)
    const entries = (await (await call('/api/admin/audit')).text()).match(
      /"action":"user\.reset-password"/g,
    )
    expect(entries).toHaveLength(1)
  })

  test('a common password is refused, and the old one stays', async () => {
    const { password } = ADMIN
    expect((await runCommand('admin-reset', [], { ...here, ADMIN_PASSWORD: password })).code).toBe(
      0,
    )
    const bad = await runCommand('admin-reset', [], { ...here, ADMIN_PASSWORD: 'password1' })
    expect(bad.code).toBe(1)
    const call = await signIn(server.url)
    expect((await call('/api/auth/me')).status).toBe(200)
  })

  test('a backup is made by the server, and is complete', async () => {
    const file = join(server.dataDir, 'beside.backup')
    const made = await runCommand('backup', [file], here)
    expect(made).toMatchObject({ code: 0, output: expect.stringMatching(/Proven by restoring/) })
    expect((await verifyBackup(file, [SECRET_KEY])).counts.users).toBeGreaterThan(0)
  })

  test('a command that needs the server stopped says so, and changes nothing', async () => {
    const file = join(server.dataDir, 'beside.backup')
    for (const [name, args] of [
      ['restore', [file, '--force']],
      ['secrets-rotate', []],
    ] as const) {
      const told = await runCommand(name, [...args], here)
      expect(told, name).toMatchObject({ code: 1, output: expect.stringMatching(/[Ss]top/) })
    }
    const call = await signIn(server.url)
    expect((await call('/api/auth/me')).status).toBe(200)
  })
})

test('a backup without the key says that the key is missing, not the data', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hushbox-keyless-'))
  atEnd(() => removeFolder(dataDir))
  const server = await startProcess({ DEMO: '0' }, dataDir)
  rmSync(join(dataDir, 'secret.key'))
  const beside = await runCommand('backup', [], { DATA_DIR: dataDir })
  await server.stop()
  const alone = await runCommand('backup', [], { DATA_DIR: dataDir })
  for (const told of [beside, alone]) {
    expect(told).toMatchObject({ code: 1, output: expect.stringMatching(/key/i) })
    expect(told.output).not.toMatch(/nothing to back up/)
  }
})
