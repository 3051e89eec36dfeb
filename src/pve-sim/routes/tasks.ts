import { permissionReader } from '../access/permissions.ts'
import { flag, NODE, optInt, optional, optText, text, VMID } from '../formats/params.ts'
import { type Call, route } from '../http/route.ts'
import type { Task } from '../state/types.ts'
import { atLeast } from '../state/versions.ts'
import { parseUpid } from '../tasks/upid.ts'
import { paged } from '../wire/answer.ts'
import { badParameters, forbidden } from '../wire/errors.ts'
import { NODE_PARAMS } from './shared.ts'

const owner = (task: Task) => {
  const [user = '', tokenid] = task.authid.split('!')
  return { user, ...(tokenid ? { tokenid } : {}) }
}

/** The fields that a list and a single answer share. */
const factsOf = (task: Task) => {
  const { upid, node, pid, pstart, starttime, type, id } = task
  return { upid, node, pid, pstart, starttime, type, id, ...owner(task) }
}

/** One row of a task list, where `status` is the exit status. */
function taskRow(task: Task, words: { running: string | undefined }) {
  const status = task.exitstatus ?? words.running
  return {
    ...factsOf(task),
    ...(task.endtime === null ? {} : { endtime: task.endtime }),
    ...(status === undefined ? {} : { status }),
  }
}

/** The cluster-wide list keeps fewer fields of a finished task. */
export function clusterTaskRow(task: Task) {
  const { pid, pstart: _, ...row } = taskRow(task, { running: undefined })
  const over = task.exitstatus !== null
  return { ...row, ...(over ? {} : { pid }), saved: over ? '1' : '0' }
}

/** Owners need no privilege for their tasks; the same user with another token counts as owner. */
const owns = (call: Call, task: Task) => owner(task).user === call.who.userid

function taskOf(call: Call): Task {
  const upid = call.text('upid')
  const parsed = parseUpid(upid)
  if (!parsed) throw badParameters({ upid: 'unable to parse worker upid' })
  const task = call.sim.state.tasks.get(upid)
  if (!task || task.node !== call.node) throw badParameters({ upid: 'no such task' })
  return task
}

function seen(call: Call, privilege: string): Task {
  const task = taskOf(call)
  const path = `/nodes/${call.node}`
  if (!owns(call, task) && !permissionReader(call.sim.state, call.who).has(path, privilege)) {
    throw forbidden(`${path}, ${privilege}`)
  }
  return task
}

const isError = (task: Task) =>
  task.exitstatus !== null && task.exitstatus !== 'OK' && !task.exitstatus.startsWith('WARNINGS')

function kindOf(task: Task): string {
  if (task.exitstatus === null) return 'unknown'
  if (task.exitstatus === 'OK') return 'ok'
  return task.exitstatus.startsWith('WARNINGS') ? 'warning' : 'error'
}

function filters(call: Call): ((task: Task) => boolean)[] {
  const source = call.optional('source') ?? 'archive'
  const active = (task: Task) => task.exitstatus === null
  const wanted = {
    archive: (task: Task) => !active(task),
    active,
    all: () => true,
  }
  const vmid = call.optional('vmid')
  const since = call.optionalNumber('since')
  const until = call.optionalNumber('until')
  const user = call.optional('userfilter')
  const type = call.optional('typefilter')
  const kinds = call.optional('statusfilter')?.split(/[,;\s\0]+/)
  return [
    wanted[source as keyof typeof wanted],
    (task) => vmid === undefined || task.id === vmid,
    (task) => since === undefined || task.starttime >= since,
    (task) => until === undefined || task.starttime <= until,
    (task) => user === undefined || task.authid.includes(user),
    (task) => type === undefined || task.type === type,
    (task) => kinds === undefined || kinds.includes(kindOf(task)),
    (task) => call.flag('errors') !== true || isError(task),
  ]
}

function list(call: Call) {
  const { state } = call.sim
  const auditor = permissionReader(state, call.who).has(`/nodes/${call.node}`, 'Sys.Audit')
  const tests = filters(call)
  const found = [...state.tasks.values()]
    .filter((task) => task.node === call.node && (auditor || owns(call, task)))
    .filter((task) => tests.every((test) => test(task)))
    .reverse()
  const start = call.optionalNumber('start') ?? 0
  const limit = call.optionalNumber('limit') ?? 50
  const rows = found.slice(start, limit === 0 ? undefined : start + limit)
  return paged(
    rows.map((task) => taskRow(task, { running: 'RUNNING' })),
    found.length,
  )
}

function status(call: Call) {
  const task = seen(call, 'Sys.Audit')
  const { exitstatus } = task
  return {
    ...factsOf(task),
    status: exitstatus === null ? 'running' : 'stopped',
    ...(exitstatus === null ? {} : { exitstatus }),
  }
}

const NO_LOG = 'unable to open file - No such file or directory'

function log(call: Call) {
  const known = call.sim.state.tasks.has(call.text('upid')) || !parseUpid(call.text('upid'))
  if (!known) {
    const line = { n: 1, t: NO_LOG }
    // Before 9.0 a single line is not wrapped in a list.
    return paged(atLeast(call.sim.state.version, '9.0') ? [line] : line, 1)
  }
  const lines = seen(call, 'Sys.Audit').log
  if (lines.length === 0) return paged([{ n: 1, t: 'no content' }], 1)
  const start = call.optionalNumber('start') ?? 0
  const limit = call.optionalNumber('limit') ?? 50
  const rows = lines.slice(start, limit === 0 ? undefined : start + limit)
  return paged(
    rows.map((t, i) => ({ n: start + i + 1, t })),
    lines.length,
  )
}

const TASK_PARAMS = { node: NODE, upid: text() }

export const taskRoutes = [
  route('GET /nodes/{node}/tasks', {
    permissions: 'all',
    proxied: true,
    params: {
      ...NODE_PARAMS,
      errors: flag(),
      limit: optInt({ minimum: 0 }),
      since: optInt(),
      source: optText({ enum: ['archive', 'active', 'all'] }),
      start: optInt({ minimum: 0 }),
      statusfilter: optText(),
      typefilter: optText(),
      until: optInt(),
      userfilter: optText(),
      vmid: optional(VMID),
    },
    handle: list,
  }),
  route('GET /nodes/{node}/tasks/{upid}/status', {
    permissions: 'all',
    proxied: true,
    params: TASK_PARAMS,
    handle: status,
  }),
  route('GET /nodes/{node}/tasks/{upid}/log', {
    permissions: 'all',
    proxied: true,
    params: {
      ...TASK_PARAMS,
      download: flag(),
      limit: optInt({ minimum: 0 }),
      start: optInt({ minimum: 0 }),
    },
    handle: log,
  }),
  route('DELETE /nodes/{node}/tasks/{upid}', {
    permissions: 'all',
    proxied: true,
    params: TASK_PARAMS,
    handle: (call) => {
      const task = seen(call, 'Sys.Modify')
      call.sim.tasks.stop(task.upid)
      return null
    },
  }),
]
