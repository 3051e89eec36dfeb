import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { Permissions } from './calls/access.ts'
import { ClusterStatus, Resource } from './calls/cluster.ts'
import { NetworkInterface, NodeEntry, Storage } from './calls/nodes.ts'
import { RrdRow } from './calls/rrd.ts'
import { TaskEntry, TaskLog, TaskStatus } from './calls/task-answers.ts'
import { parseVersion, VersionAnswer } from './calls/version.ts'
import { VmConfig, VmEntry, VmStatus } from './calls/vm-answers.ts'
import { VncProxy } from './calls/vnc.ts'
import {
  hasReference,
  type Interaction,
  knownErrors,
  recordings,
  whyAbsent,
} from './testing/reference.ts'
import { TicketAnswer } from './transport/session.ts'
import { Envelope, nothing, number } from './wire/answers.ts'
import { failureOfAnswer, failureOfSentence } from './wire/classify.ts'
import type { FailureKind } from './wire/errors.ts'
import { maybeUpidAbout, parseUpid } from './wire/upid.ts'

/** The parser that the client uses for each call; the first match counts. */
const PARSERS: [RegExp, z.ZodType][] = [
  [/^GET \/version$/, VersionAnswer],
  [/^POST \/access\/ticket$/, TicketAnswer],
  [/^GET \/access\/permissions$/, Permissions],
  [/^GET \/cluster\/nextid$/, number],
  [/^GET \/cluster\/resources$/, Resource.array()],
  [/^GET \/cluster\/status$/, ClusterStatus],
  [/^GET \/nodes$/, NodeEntry.array()],
  [/^GET \/nodes\/[^/]+\/rrddata$/, RrdRow.array()],
  [/^GET \/nodes\/[^/]+\/network$/, NetworkInterface.array()],
  [/^GET \/nodes\/[^/]+\/storage$/, Storage.array()],
  [/^GET \/nodes\/[^/]+\/qemu$/, VmEntry.array()],
  [/^GET .*\/status\/current$/, VmStatus],
  [/^GET .*\/qemu\/\d+\/config$/, VmConfig],
  [/^GET .*\/tasks$/, TaskEntry.array()],
  [/^GET .*\/tasks\/[^/]+\/status$/, TaskStatus],
  [/^GET .*\/tasks\/[^/]+\/log$/, TaskLog],
  [/^DELETE .*\/tasks\/[^/]+$/, nothing],
  [/^POST .*\/vncproxy$/, VncProxy],
  [/^(POST|PUT|DELETE) .*\/qemu\/100(\/(config|clone|resize|status\/\w+))?$/, maybeUpidAbout(100)],
  [/^DELETE .*\/qemu\/101$/, maybeUpidAbout(101)],
]

const NOT_OURS =
  /\/(access\/(domains|groups|roles|users|acl|password)|pools|snapshot|vzdump|content)|(POST|PUT|DELETE) \S*\/network|POST \S*\/nodes\/pve\/(qemu|status)$|\/(termproxy|spiceproxy|template|move_disk|vncwebsocket)$/

const all = hasReference ? recordings() : []
const callOf = ({ method, path }: Interaction) => `${method} ${path.replace('/api2/json', '')}`
const parserOf = (recorded: Interaction) =>
  PARSERS.find(([pattern]) => pattern.test(callOf(recorded)))?.[1]

if (!hasReference) process.stderr.write(`${whyAbsent}\n`)

describe.skipIf(!hasReference)('recorded answers of real clusters', () => {
  it('are all read by the parser of their call', () => {
    expect(all.length).toBeGreaterThan(150)
    for (const recorded of all.filter(({ status }) => status === 200)) {
      const { data } = Envelope.parse(recorded.body)
      const parsed = (parserOf(recorded) ?? nothing).safeParse(data)
      expect(parsed.error?.issues, `${callOf(recorded)} ${JSON.stringify(data)}`).toBeUndefined()
    }
  })

  it('without a parser belong to calls we do not make', () => {
    const others = all.filter((recorded) => !parserOf(recorded)).map(callOf)
    expect(others.filter((call) => !NOT_OURS.test(call))).toEqual([])
  })

  it('use every parser at least once', () => {
    const used = new Set(all.map(parserOf))
    // No cluster/status was ever recorded.
    const unused = PARSERS.filter(([, parser]) => !used.has(parser) && parser !== ClusterStatus)
    expect(unused.map(([pattern]) => pattern.source)).toEqual([])
  })

  it('hold numbers as numbers, flags as booleans and null as absent', () => {
    const [status] = all.filter((recorded) => callOf(recorded).endsWith('/qemu/100/status/current'))
    const read = VmStatus.parse(Envelope.parse(status?.body).data)
    expect(read).toMatchObject({ vmid: 100, template: false, status: 'stopped', uptime: 0 })
    const [version] = all.filter((recorded) => callOf(recorded) === 'GET /version')
    const { version: text } = VersionAnswer.parse(Envelope.parse(version?.body).data)
    expect(parseVersion(text)).toMatchObject({ major: 6, minor: 2, patch: 4 })
  })

  it('contain task ids that we can read', () => {
    const ids = JSON.stringify(all).match(/UPID:[^"\\/\s]+:(?=["\\/])/g) ?? []
    expect(ids.length).toBeGreaterThan(100)
    expect(ids.filter((id) => parseUpid(id) === undefined)).toEqual([])
  })

  it('that failed are failures of the right kind', () => {
    const failed = all.filter((recorded) => recorded.status >= 400)
    expect(failed.length).toBeGreaterThan(5)
    const kinds = failed.map(({ method, status, reason, body }) => {
      const isRepeatable = method === 'GET'
      const errors = Envelope.safeParse(body).data?.errors
      return failureOfAnswer({ status, message: reason, errors, isRepeatable }).kind
    })
    expect(new Set(kinds)).toEqual(
      new Set(['unauthorised', 'refused', 'invalid', 'not-found', 'vmid-taken']),
    )
  })
})

/** What the catalogue's own classes mean in our terms. */
const MEANING: Record<string, FailureKind[]> = {
  auth: ['unauthorised'],
  forbidden: ['forbidden'],
  invalid: ['invalid', 'refused'],
  'not-found-or-moved': ['not-found'],
  busy: ['locked', 'busy-storage'],
  'vmid-taken': ['vmid-taken'],
  conflict: ['refused', 'changed-meanwhile'],
  'conflict-benign': ['refused'],
  timeout: ['refused'],
  benign: ['refused'],
  'benign-or-error': ['refused'],
  unknown: ['unknown-outcome'],
  cancelled: ['refused'],
  error: ['refused'],
  agent: ['agent-unavailable'],
  cluster: ['no-quorum'],
  'client-bug': ['unsupported', 'refused'],
  'node-down': ['unknown-outcome'],
}

describe.skipIf(!hasReference)('the catalogue of errors', () => {
  it('is classified as its own entries say', () => {
    const { fromSource } = knownErrors()
    expect(fromSource.length).toBeGreaterThan(40)
    for (const { status, message = '', class: meaning = '' } of fromSource) {
      const failure =
        status === null
          ? failureOfSentence(message)
          : failureOfAnswer({ status, message, isRepeatable: false })
      expect(MEANING[meaning], `${meaning}: ${message}`).toContain(failure.kind)
    }
  })
})
