import type { Failure, RefusalReason, TlsReason, UnreachableReason } from '#proxmox/wire/errors.ts'
import { ProxmoxError } from '#proxmox/wire/errors.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'

type Meaning = { code: ErrorCode; message: string; details?: unknown; retryAfter?: number }

const UNREACHABLE: Record<UnreachableReason, string> = {
  aborted: 'The call to the cluster was given up.',
  closed: 'The connection to the cluster is being closed.',
  'connection-refused': 'The cluster refused the connection: is the port right, and is it running?',
  disconnected: 'The cluster broke off the connection.',
  'no-route': 'There is no route to the cluster.',
  'node-unreachable': 'The cluster answers, but the node in question cannot be reached.',
  overloaded: 'The cluster is overloaded.',
  timeout: 'The cluster did not answer in time.',
  'unknown-host': 'No host of this name can be found.',
}

const TLS: Record<TlsReason, string> = {
  changed: 'The cluster shows another certificate than the one that was confirmed.',
  expired: 'The certificate of the cluster has expired.',
  'not-tls': 'The host does not speak https on this port.',
  untrusted: 'Nobody vouches for the certificate of the cluster: confirm its fingerprint first.',
  'wrong-name': 'The certificate of the cluster is for another name.',
}

const REFUSED: Record<RefusalReason, string> = {
  'already-running': 'The VM is already running.',
  cancelled: 'The task was cancelled on the cluster.',
  'guest-timeout':
    'The operating system did not react. It may still be starting; Stop switches the VM off at once.',
  hotplug:
    'The running system did not take part of the change. It waits for the next stop and start.',
  'not-running': 'The VM is not running.',
  other: 'The cluster refused.',
  paused: 'The VM is paused.',
  protected: 'The VM is protected: switch its protection off first.',
  running: 'The VM is running: stop it first.',
  template: 'Templates cannot be started.',
}

/** Translates a failure of the cluster for people: a code, a sentence, and when to retry. */
function meaningOf(failure: Failure): Meaning {
  switch (failure.kind) {
    case 'unreachable':
      return unavailable(UNREACHABLE[failure.reason])
    case 'bad-answer':
      return unavailable('The cluster gave an answer we cannot read.')
    case 'no-quorum':
      return unavailable(
        'The cluster has no quorum: too many of its nodes are down to change anything.',
      )
    case 'unknown-outcome':
      return {
        ...unavailable('The connection was lost and it is not known whether it was done.'),
        details: { outcome: 'unknown', task: failure.upid },
      }
    case 'tls':
      return { code: 'CERTIFICATE_UNTRUSTED', message: TLS[failure.reason] }
    case 'locked':
      return locked('The VM is busy with another task.')
    case 'busy-storage':
      return locked('The storage is busy.')
    case 'not-found':
      return failure.what === 'vm'
        ? { code: 'VM_MISSING', message: 'The cluster no longer has this VM.' }
        : { code: 'NOT_FOUND', message: 'The cluster no longer knows this task.' }
    case 'vmid-taken':
      return { code: 'CONFLICT', message: 'The VM id is already in use on the cluster.' }
    case 'changed-meanwhile':
      return { code: 'CHANGED_MEANWHILE', message: 'The configuration was changed meanwhile.' }
    case 'agent-unavailable':
      return agentMeaning(failure.configured)
    case 'invalid':
      return {
        code: 'INVALID_INPUT',
        message: 'The cluster does not accept these values.',
        details: { parameters: failure.parameters },
      }
    case 'refused':
      return { code: 'INVALID_STATE', message: REFUSED[failure.reason] }
    case 'task-failed':
      return taskMeaning(failure)
    case 'forbidden':
    case 'tfa-required':
    case 'unauthorised':
    case 'unsupported':
      return credentialsMeaning(failure)
  }
}

function credentialsMeaning(
  failure: Extract<
    Failure,
    { kind: 'forbidden' | 'tfa-required' | 'unauthorised' | 'unsupported' }
  >,
): Meaning {
  const code = 'CLUSTER_REFUSED'
  switch (failure.kind) {
    case 'unauthorised':
      return { code, message: 'The cluster refused the user name and password, or the API token.' }
    case 'tfa-required':
      return { code, message: 'The account asks for a second factor: use an API token instead.' }
    case 'unsupported':
      return { code, message: 'This version of Proxmox VE does not know the call.' }
    case 'forbidden': {
      const { path, privileges } = failure
      const what = privileges.length > 0 ? `: it lacks ${privileges.join(' or ')}` : ''
      const where = path === undefined ? '' : ` on ${path}`
      const message = `The account may not do this on the cluster${what}${where}.`
      return { code, message, details: { path, privileges } }
    }
  }
}

const unavailable = (message: string): Meaning => ({
  code: 'CLUSTER_UNAVAILABLE',
  message,
  retryAfter: 10,
})

const locked = (message: string): Meaning => ({ code: 'LOCKED', message, retryAfter: 5 })

function agentMeaning(isConfigured: boolean): Meaning {
  return isConfigured
    ? { code: 'UNAVAILABLE', message: 'The guest agent does not answer yet.', retryAfter: 10 }
    : { code: 'INVALID_STATE', message: 'The guest agent is not enabled for this VM.' }
}

/** A task fails for the same reasons as a call; an unknown reason is quoted from PVE. */
function taskMeaning(failure: Extract<Failure, { kind: 'task-failed' }>): Meaning {
  const { because, exitStatus, upid, lastWords } = failure
  const meaning = meaningOf(because)
  const isUnknown = because.kind === 'refused' && because.reason === 'other'
  const log = lastWords === undefined ? '' : ` Its log ends with: ${lastWords}`
  const message = isUnknown
    ? `The task failed on the cluster: ${exitStatus}.${log}`
    : meaning.message
  const code = isUnknown ? 'CLUSTER_REFUSED' : meaning.code
  return { ...meaning, code, message, details: { task: upid, reason: exitStatus } }
}

/** Converts errors of the client into ours; returns anything else unchanged. */
export function toAppError(error: unknown): unknown {
  if (!(error instanceof ProxmoxError)) return error
  const { code, message, ...rest } = meaningOf(error.failure)
  return new AppError(code, message, { ...rest, cause: error })
}
