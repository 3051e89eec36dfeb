import { api } from '#shared/api/index.ts'
import { type Command, ONCE, SERVER, showDone, showList } from './command.ts'
import { serverId } from './one-server.ts'
import { WAIT, waitForJob } from './wait.ts'

/** Another package for a server. */
export const packageCommands: Command[] = [
  {
    name: 'servers package list',
    says: 'The packages a server could have, what each costs now and later, and why not',
    takes: SERVER,
    examples: ['hushbox servers package list web'],
    calls: [api.packageChange.choices],
    async run(world) {
      const id = await serverId(world)
      const { packages } = await world.session().call(api.packageChange.choices, { params: { id } })
      showList(world, packages, {
        ID: (one) => one.id,
        NAME: (one) => one.name,
        CPU: (one) => one.size.cpu,
        'MEMORY GB': (one) => one.size.ramGb,
        'DISK GB': (one) => one.size.diskGb,
        NOW: ({ preview }) => preview.now,
        LATER: ({ preview }) => preview.then,
        FROM: ({ preview }) => preview.from,
        'WHY NOT': (one) => one.refusal,
      })
    },
  },
  {
    name: 'servers package change',
    says: 'Give a server another package: a larger one now, paid from credit, else with its next term',
    takes: { ...SERVER, package: { says: 'its id, of hushbox servers package list' } },
    flags: {
      restart: { says: 'stop and start it now, for other cores and memory' },
      ...WAIT,
      ...ONCE,
    },
    examples: ['hushbox servers package change web large --restart --wait'],
    calls: [api.packageChange.change],
    async run(world) {
      const id = await serverId(world)
      const { package: packageId = '' } = world.given.values
      const body = { packageId, restart: world.given.has('restart') }
      const begun = await world.session().call(api.packageChange.change, { params: { id }, body })
      if (begun.jobId === null) {
        return showDone(world, begun, `It is planned for the next term, from ${begun.from} on.`)
      }
      await waitForJob(world, id, begun.jobId)
      const done = world.given.has('wait') ? 'The package is changed.' : 'The package is changing.'
      return showDone(world, begun, done)
    },
  },
  {
    name: 'servers package keep',
    says: 'Keep the present package instead of the one planned for the next term',
    takes: SERVER,
    examples: ['hushbox servers package keep web'],
    calls: [api.packageChange.keep],
    async run(world) {
      const id = await serverId(world)
      await world.session().call(api.packageChange.keep, { params: { id } })
      showDone(world, {}, 'The present package is kept.')
    },
  },
]
