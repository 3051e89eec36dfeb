import { expect, it } from 'vitest'
import { type Failure, ProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { toAppError } from './hypervisor-errors.ts'

const upid = 'UPID:pve1:0000C8B0:0000D780:5FBE5E7F:qmstart:100:vps@pve!app:'

it.each<[Failure, ErrorCode]>([
  [{ kind: 'unreachable', reason: 'timeout' }, 'CLUSTER_UNAVAILABLE'],
  [{ kind: 'unknown-outcome', upid }, 'CLUSTER_UNAVAILABLE'],
  [{ kind: 'bad-answer' }, 'CLUSTER_UNAVAILABLE'],
  [{ kind: 'no-quorum' }, 'CLUSTER_UNAVAILABLE'],
  [{ kind: 'tls', reason: 'changed' }, 'CERTIFICATE_UNTRUSTED'],
  [{ kind: 'unauthorised' }, 'CLUSTER_REFUSED'],
  [{ kind: 'tfa-required', methods: ['totp'] }, 'CLUSTER_REFUSED'],
  [{ kind: 'forbidden', path: '/vms/100', privileges: ['VM.Audit'] }, 'CLUSTER_REFUSED'],
  [{ kind: 'unsupported' }, 'CLUSTER_REFUSED'],
  [{ kind: 'not-found', what: 'vm' }, 'VM_MISSING'],
  [{ kind: 'not-found', what: 'task' }, 'NOT_FOUND'],
  [{ kind: 'locked', lock: 'backup' }, 'LOCKED'],
  [{ kind: 'busy-storage', storage: 'ceph' }, 'LOCKED'],
  [{ kind: 'vmid-taken' }, 'CONFLICT'],
  [{ kind: 'changed-meanwhile' }, 'CHANGED_MEANWHILE'],
  [{ kind: 'agent-unavailable', configured: true }, 'UNAVAILABLE'],
  [{ kind: 'agent-unavailable', configured: false }, 'INVALID_STATE'],
  [{ kind: 'invalid', parameters: { memory: 'too small' } }, 'INVALID_INPUT'],
  [{ kind: 'refused', reason: 'protected' }, 'INVALID_STATE'],
  [
    {
      kind: 'task-failed',
      upid,
      exitStatus: 'VM is locked (backup)',
      because: { kind: 'locked', lock: 'backup' },
    },
    'LOCKED',
  ],
  [
    {
      kind: 'task-failed',
      upid,
      exitStatus: 'lvcreate: no space left on thin pool',
      because: { kind: 'refused', reason: 'other' },
    },
    'CLUSTER_REFUSED',
  ],
])("%j becomes %s, without the cluster's own text", (failure, code) => {
  const error = toAppError(new ProxmoxError(failure, 'GET /nodes/secret-node: raw text'))
  expect(error).toBeInstanceOf(AppError)
  expect(error).toMatchObject({ code, cause: { failure } })
  expect((error as AppError).message).toMatch(/^[A-Z].*\.$|\?$/)
  expect((error as AppError).message).not.toMatch(/secret-node|raw text/)
})

it('leaves errors that are not of the cluster unchanged', () => {
  const error = new TypeError('ours')
  expect(toAppError(error)).toBe(error)
})
