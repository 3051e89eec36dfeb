import { expect, test } from 'vitest'
import { AppError } from '#shared/errors.ts'
import { goneAmong, rememberHidden } from './vanished.ts'

const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 100)

test('a VM is gone only if the cluster reports its id as free', async () => {
  const hidden = rememberHidden(() => 0).of(1)
  const isGone = async (vmId: number) => vmId % 2 === 0
  expect(await goneAmong(ids(6), { isGone }, hidden)).toEqual(new Set([100, 102, 104]))
})

test('lost permissions on thousands of VMs are checked in portions, each VM once in a while', async () => {
  let now = 0
  const hidden = rememberHidden(() => now).of(1)
  const asked: number[] = []
  const isGone = async (vmId: number) => {
    asked.push(vmId)
    return false
  }
  for (let round = 0; round < 3; round += 1) await goneAmong(ids(120), { isGone }, hidden)
  expect(asked).toHaveLength(120)
  expect(new Set(asked).size).toBe(120)
  await goneAmong(ids(120), { isGone }, hidden)
  expect(asked).toHaveLength(120)
  now = 6 * 60_000
  await goneAmong(ids(120), { isGone }, hidden)
  expect(asked).toHaveLength(170)
})

test('while the cluster cannot answer, no further VM is gone', async () => {
  const hidden = rememberHidden(() => 0).of(1)
  const isGone = async (vmId: number) => {
    if (vmId > 101) throw new AppError('CLUSTER_UNAVAILABLE', 'away')
    return true
  }
  const gone = await goneAmong(ids(10), { isGone }, hidden)
  expect([...gone].every((vmId) => vmId <= 101)).toBe(true)
})
