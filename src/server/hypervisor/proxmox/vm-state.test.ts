import { expect, it } from 'vitest'
import { vmState } from './vm-state.ts'

it.each([
  [{ status: 'running' }, 'running'],
  [{ status: 'running', qmpstatus: 'running' }, 'running'],
  [{ status: 'stopped' }, 'stopped'],
  [{ status: 'stopped', qmpstatus: 'stopped' }, 'stopped'],
  [{ status: 'stopped', lock: 'suspended' }, 'suspended'],
  [{ status: 'running', qmpstatus: 'paused' }, 'paused'],
  [{ status: 'paused' }, 'paused'],
  [{ status: 'prelaunch' }, 'paused'],
  [{ status: 'running', qmpstatus: 'suspended' }, 'paused'],
  [{ status: 'running', qmpstatus: 'io-error' }, 'error'],
  [{ status: 'guest-panicked' }, 'error'],
  [{ status: 'running', lock: 'backup' }, 'busy'],
  [{ status: 'stopped', lock: 'clone' }, 'busy'],
  [{ status: 'unknown' }, 'unknown'],
  [{ status: 'unknown', lock: 'clone' }, 'unknown'],
  [{ status: undefined }, 'unknown'],
])('%j is %s', (vm, state) => {
  expect(vmState(vm)).toBe(state)
})
