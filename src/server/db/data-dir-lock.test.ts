import { mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DataDirInUseError, lockDataDir } from './data-dir-lock.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'hushbox-lock-'))

test('a folder has one owner, whatever path it is opened by', async () => {
  const real = folder()
  const link = join(folder(), 'link')
  symlinkSync(real, link)
  const unlock = await lockDataDir(real)
  await expect(lockDataDir(real)).rejects.toThrow(DataDirInUseError)
  await expect(lockDataDir(link)).rejects.toThrow(/Stop it first/)
  await unlock()
  const again = await lockDataDir(link)
  await again()
})

test('another folder is free, and a missing one is created', async () => {
  const unlock = await lockDataDir(join(folder(), 'new'))
  await unlock()
})
