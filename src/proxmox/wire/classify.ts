import type { Failure, RefusalReason } from './errors.ts'

const refused = (reason: RefusalReason): Failure => ({ kind: 'refused', reason })

/**
 * PVE reports nearly everything as a 500 with a sentence, or as a task's exit status with the same
 * sentence (facts §5, §7). Order matters: storage locks also match the general lock patterns.
 */
const SENTENCES: readonly [RegExp, (match: RegExpMatchArray) => Failure][] = [
  [/Configuration file '.*' does not exist/, () => ({ kind: 'not-found', what: 'vm' })],
  [/unable to find configuration file for VM/, () => ({ kind: 'not-found', what: 'vm' })],
  [/no such task/, () => ({ kind: 'not-found', what: 'task' })],
  [/cfs-lock 'storage-([^']+)' error/, (m) => busyStorage(m[1])],
  [/can't lock file '[^']*\/pve-storage-([^']+)' - got timeout/, (m) => busyStorage(m[1])],
  [/VM is locked(?: \(([^)]+)\))?/, (m) => ({ kind: 'locked', lock: m[1] })],
  [/can't lock file .* - got timeout/, () => ({ kind: 'locked', lock: undefined })],
  [/cfs-lock '.*' error: got lock request timeout/, () => ({ kind: 'locked', lock: undefined })],
  [/no quorum/, () => ({ kind: 'no-quorum' })],
  [
    /config file already exists|VM \d+ already exists|\d+\.conf.*File exists/,
    () => ({ kind: 'vmid-taken' }),
  ],
  [/checksum mismatch|detected modified configuration/, () => ({ kind: 'changed-meanwhile' })],
  [/No QEMU guest agent configured/i, () => ({ kind: 'agent-unavailable', configured: false })],
  [
    /guest agent is not running|guest-ping' failed/i,
    () => ({ kind: 'agent-unavailable', configured: true }),
  ],
  [
    /only root can (?:set|use)|only root is allowed/i,
    () => ({ kind: 'forbidden', path: undefined, privileges: ['root@pam'] }),
  ],
  // The end of a task: some privileges are checked by the worker.
  [/Permission check failed/, (m) => forbidden(m.input ?? '')],
  [/VM \d+ already running/, () => refused('already-running')],
  [/VM \d+ (?:is )?not running/, () => refused('not-running')],
  [/VM (?:\d+ )?is paused/, () => refused('paused')],
  [/protection mode enabled/, () => refused('protected')],
  [/is running - destroy failed|VM \d+ is running/, () => refused('running')],
  [/quit\/powerdown failed/, () => refused('guest-timeout')],
  [/if it's a template/, () => refused('template')],
  [/interrupted by signal|received interrupt/, () => refused('cancelled')],
  [/SSH public key validation error/, () => ({ kind: 'invalid', parameters: { sshkeys: 'key' } })],
  [/shrinking disks is not supported/, () => ({ kind: 'invalid', parameters: { size: 'shrink' } })],
  // The end of a task, with the wording of a 400 (facts-3 §12).
  [/hotplug problem/, () => refused('hotplug')],
  [/Parameter verification failed/, () => ({ kind: 'invalid', parameters: {} })],
  [/unexpected status/, () => ({ kind: 'unknown-outcome', upid: undefined })],
]

function busyStorage(storage: string | undefined): Failure {
  return { kind: 'busy-storage', storage: storage ?? '' }
}

/** The failure behind a sentence of PVE; unknown sentences are a plain refusal. */
export function failureOfSentence(sentence: string): Failure {
  for (const [pattern, failure] of SENTENCES) {
    const match = sentence.match(pattern)
    if (match) return failure(match)
  }
  return refused('other')
}

export type FailedAnswer = {
  status: number
  message: string
  errors?: Readonly<Record<string, string>> | undefined
  /** True for reads and sign-in: repeating the call has no further effect. */
  isRepeatable: boolean
}

/** What a non-2xx answer means. A write that may have been carried out is an unknown outcome. */
export function failureOfAnswer(answer: FailedAnswer): Failure {
  const { status, message, errors = {} } = answer
  if (status === 401) return { kind: 'unauthorised' }
  if (status === 403) return forbidden(message)
  if (status === 400) return rejected(message, errors)
  if (status === 501) return { kind: 'unsupported' }
  if (status === 429) return { kind: 'unreachable', reason: 'overloaded' }
  if (status >= 595 || (status >= 502 && status <= 504)) return cutOff(answer)
  if (status >= 300 && status < 400) return { kind: 'bad-answer' }
  return failureOfSentence(message)
}

/**
 * 59x and gateway errors: the entry node lost contact with the target node, and how far that one
 * got is unknown.
 */
function cutOff({ status, isRepeatable }: FailedAnswer): Failure {
  if (!isRepeatable) return { kind: 'unknown-outcome', upid: undefined }
  return { kind: 'unreachable', reason: status >= 595 ? 'node-unreachable' : 'disconnected' }
}

function rejected(message: string, errors: Readonly<Record<string, string>>): Failure {
  const texts = Object.values(errors)
  const meaning = failureOfSentence([message, ...texts].join(' '))
  if (meaning.kind === 'vmid-taken' || meaning.kind === 'not-found') return meaning
  const parameters = Object.entries(errors).map(([name, text]) => [name, text.trim()])
  return { kind: 'invalid', parameters: Object.fromEntries(parameters) }
}

/** "Permission check failed (/vms/100, VM.Audit|VM.Monitor)": alternatives are joined by '|'. */
function forbidden(message: string): Failure {
  const match = message.match(/\((\/[^,)]*),\s*([^)]+)\)/)
  return {
    kind: 'forbidden',
    path: match?.[1],
    privileges: match?.[2]?.split(/[|,]\s*/).filter(Boolean) ?? [],
  }
}
