/** Why PVE refused a valid call: callers branch on this instead of reading text. */
export type RefusalReason =
  | 'already-running'
  | 'cancelled'
  | 'guest-timeout'
  | 'hotplug'
  | 'not-running'
  | 'other'
  | 'paused'
  | 'protected'
  | 'running'
  | 'template'

export type UnreachableReason =
  | 'aborted'
  | 'closed'
  | 'connection-refused'
  | 'disconnected'
  | 'no-route'
  | 'node-unreachable'
  | 'overloaded'
  | 'timeout'
  | 'unknown-host'

export type TlsReason = 'changed' | 'expired' | 'not-tls' | 'untrusted' | 'wrong-name'

/** Every way a call can fail. After `unknown-outcome` the caller must look. */
export type Failure =
  | { kind: 'unreachable'; reason: UnreachableReason }
  | { kind: 'tls'; reason: TlsReason }
  | { kind: 'unauthorised' }
  | { kind: 'tfa-required'; methods: readonly string[] }
  | { kind: 'forbidden'; path: string | undefined; privileges: readonly string[] }
  | { kind: 'not-found'; what: 'task' | 'vm' }
  | { kind: 'locked'; lock: string | undefined }
  | { kind: 'busy-storage'; storage: string }
  | { kind: 'no-quorum' }
  | { kind: 'vmid-taken' }
  | { kind: 'changed-meanwhile' }
  | { kind: 'agent-unavailable'; configured: boolean }
  | { kind: 'invalid'; parameters: Readonly<Record<string, string>> }
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'unsupported' }
  | { kind: 'bad-answer' }
  /** `hasEnded`: the task is over (its worker died), only its outcome is not known. */
  | { kind: 'unknown-outcome'; upid: string | undefined; hasEnded?: boolean }
  | {
      kind: 'task-failed'
      upid: string
      exitStatus: string
      because: Failure
      /** The end of its log, where the exit status is one we do not know. */
      lastWords?: string
    }

export type FailureKind = Failure['kind']

/**
 * safe: the same call may be sent again (nothing happened, or a read).
 * look-first: it may have happened; find out before sending it again.
 * pointless: the same call will fail the same way until a person changes something.
 */
export type Retry = 'look-first' | 'pointless' | 'safe'

const RETRY: Record<Exclude<FailureKind, 'task-failed'>, Retry> = {
  unreachable: 'safe',
  tls: 'pointless',
  unauthorised: 'pointless',
  'tfa-required': 'pointless',
  forbidden: 'pointless',
  'not-found': 'pointless',
  locked: 'safe',
  'busy-storage': 'safe',
  'no-quorum': 'safe',
  'vmid-taken': 'pointless',
  'changed-meanwhile': 'pointless',
  'agent-unavailable': 'safe',
  invalid: 'pointless',
  refused: 'pointless',
  unsupported: 'pointless',
  'bad-answer': 'pointless',
  'unknown-outcome': 'look-first',
}

function retryOf(failure: Failure): Retry {
  return failure.kind === 'task-failed' ? retryOf(failure.because) : RETRY[failure.kind]
}

/** The only error this client throws on purpose. Its message never contains a secret. */
export class ProxmoxError extends Error {
  readonly failure: Failure

  constructor(failure: Failure, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ProxmoxError'
    this.failure = failure
  }

  get kind(): FailureKind {
    return this.failure.kind
  }

  get retry(): Retry {
    return retryOf(this.failure)
  }
}

export function isProxmoxError(error: unknown, kind?: FailureKind): error is ProxmoxError {
  return error instanceof ProxmoxError && (kind === undefined || error.kind === kind)
}
