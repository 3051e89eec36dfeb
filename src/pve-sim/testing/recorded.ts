import { readFileSync } from 'node:fs'

/** One request to Proxmox VE itself and its answer, recorded by us. */
export type Recorded = {
  label: string
  method: string
  path: string
  /** `viewer` may look at VMs, and do nothing else. */
  as: 'root' | 'token' | 'viewer' | 'none'
  /** The body as sent. `{digest}`, here and in the path, is the digest of the last answer with one. */
  body?: string
  /** Sent as JSON. */
  json?: boolean
  /** Sent as this type. */
  type?: string
  /** false: without the CSRF token. */
  csrf?: boolean
  status: number
  reason: string
  errors?: Record<string, string>
  message?: string
  text?: string
  /** The type of `data`, and of each of its keys. */
  data?: string
  keys?: Record<string, string>
  /** Some values of `data`, null where absent; a text that is all of it as `data`. */
  values?: Record<string, string | null>
  /** All of `data`, but for what is another on each host and at each time. */
  whole?: unknown
  /** The exit status of the task. */
  task?: string
  /** What the task logged, but for the lines that name paths of the host. */
  log?: string[]
}

export type Recording = { pve: string; answers: Recorded[] }

/** Several recordings, one after the other. */
export const recordedAnswers = (release: '8.4' | '9.2'): Recorded[] =>
  [release, `${release}-user-data`, `${release}-firewall`, `${release}-snapshots`].flatMap(
    (name) => {
      const text = readFileSync(new URL(`recorded/${name}.json`, import.meta.url), 'utf8')
      return (JSON.parse(text) as Recording).answers
    },
  )
