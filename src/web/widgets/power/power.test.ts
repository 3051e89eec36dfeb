import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { ApiError } from '../../api/api-error.ts'
import { showStatus, withStatus } from './power-cache.ts'
import { endNotice, powerFailure } from './power-words.ts'

test('only the intended instance changes its state', () => {
  const rows = [
    { id: 1, status: 'running' },
    { id: 2, status: 'stopped' },
  ]
  expect(withStatus(rows, 2, 'starting')).toEqual([rows[0], { id: 2, status: 'starting' }])
})

test('every list that contains it shows the state, and no other list does', () => {
  const client = new QueryClient()
  client.setQueryData(['/api/instances', { nodeId: 3 }], [{ id: 2, status: 'stopped' }])
  client.setQueryData(
    ['/api/admin/clients'],
    [
      {
        id: 9,
        activeTokens: [
          { id: 1, instance: null },
          { id: 5, instance: { id: 2, status: 'x' } },
        ],
      },
    ],
  )
  client.setQueryData(['/api/nodes'], [{ id: 2, status: 'online' }])
  client.setQueryData(['/api/instances/2/status'], { name: 'web', status: 'stopped' })
  showStatus(client, 2, 'starting')
  expect(client.getQueryData(['/api/instances', { nodeId: 3 }])).toEqual([
    { id: 2, status: 'starting' },
  ])
  expect(client.getQueryData(['/api/admin/clients'])).toMatchObject([
    { activeTokens: [{ instance: null }, { instance: { status: 'starting' } }] },
  ])
  expect(client.getQueryData(['/api/instances/2/status'])).toEqual({
    name: 'web',
    status: 'starting',
  })
  expect(client.getQueryData(['/api/nodes'])).toEqual([{ id: 2, status: 'online' }])
})

test('a restart that the guest ignored is not reported as done because the server still runs', () => {
  const running = { status: 'running', word: 'Running' }
  expect(endNotice('restart', 'client', { ...running, failure: null })).toEqual({
    title: 'Instance restarted successfully',
  })
  const failure = 'The operating system did not react.'
  expect(endNotice('restart', 'client', { ...running, failure })).toEqual({
    tone: 'bad',
    title: 'Failed to restart instance',
    description: failure,
  })
  expect(endNotice('shutdown', 'admin', { ...running, failure })).toMatchObject({
    description: `Failed to shutdown instance: ${failure}`,
  })
})

test('a failure is worded as specified for each role', () => {
  const error = new ApiError(409, '409', { code: 'LOCKED', message: 'It is busy.' })
  expect(powerFailure('start', 'admin', error)).toEqual({
    title: 'Error',
    description: 'Failed to start instance: It is busy.',
  })
  expect(powerFailure('shutdown', 'client', error)).toEqual({
    title: 'Failed to shutdown instance',
    description: 'It is busy.',
  })
})
