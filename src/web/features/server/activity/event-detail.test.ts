import { expect, test } from 'vitest'
import { eventDetail } from './event-detail.ts'

test.each([
  ['instance.suspend', { reason: 'Too loud' }, 'Too loud'],
  ['instance.configure', { changed: ['cores', 'memory'] }, 'cores, memory'],
  ['instance.rename', { changed: ['label', 'hostname'] }, 'label, hostname'],
  ['instance.reinstalled', { osType: 'Debian 12' }, 'Debian 12'],
  ['instance.rename', {}, undefined],
  [
    'order.provision',
    { notApplied: ['userData', 'unknown'] },
    'The server was set up by hand. Not applied automatically: the start-up script.',
  ],
  ['order.provision', { vmId: 100 }, undefined],
  ['instance.start', { reason: 'none of this' }, undefined],
])('%s with %j is told as %j', (action, details, expected) => {
  expect(eventDetail({ action, details })).toBe(expected)
})
