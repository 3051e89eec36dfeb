import { statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../testing/temp-folder.ts'
import { DataDirInUseError, lockDataDir } from './data-dir-lock.ts'

const folder = () => tempFolder('lock')

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

test('another folder is free while this one is locked, and a missing one is created', async () => {
  const held = folder()
  const unlockHeld = await lockDataDir(held)
  const path = join(held, 'new')
  const unlock = await lockDataDir(path)
  expect(statSync(path).isDirectory()).toBe(true)
  await expect(lockDataDir(path)).rejects.toThrow(DataDirInUseError)
  await unlock()
  await expect(lockDataDir(held)).rejects.toThrow(DataDirInUseError)
  await unlockHeld()
})
