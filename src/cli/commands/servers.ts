import { api } from '#shared/api/index.ts'
import { POWER_ACTS, type PowerAct } from '#shared/rules/instance/instance-power.ts'
import { Failure } from '../terminal/failure.ts'
import { confirmLoss } from '../terminal/terminal.ts'
import { plain } from '../terminal/width.ts'
import { type Command, ONCE, SERVER, showDone, showList, type World, YES } from './command.ts'
import { readServer, serverId, showServer } from './one-server.ts'
import { REINSTALL_FLAGS, reinstall } from './reinstall.ts'
import { WAIT, waitBy, waitForJob, waitForPower } from './wait.ts'

async function power(world: World): Promise<void> {
  const id = await serverId(world)
  const act = world.given.values.action as PowerAct
  const answer = await world.session().call(api.instances[act], { params: { id } })
  if (!world.given.has('wait')) return showDone(world, answer, plain(answer.message))
  const status = await waitForPower(world, id)
  showDone(world, { ...answer, status }, `Server ${id} is ${status}.`)
}

/** The screen needs a browser; the page asks for a sign-in and opens it. */
async function openConsole(world: World): Promise<void> {
  const id = await serverId(world)
  const { can } = await readServer(world, id)
  if (!can.console.allowed) {
    throw new Failure('refused', plain(can.console.why ?? 'It has no screen now.'))
  }
  const link = new URL(`/console/${id}`, world.session().url).href
  showDone(world, { url: link }, link)
  world.terminal.err('Open this page in a browser in which you are signed in.\n')
}

async function end(world: World): Promise<void> {
  const { given, terminal } = world
  const session = world.session()
  const id = await serverId(world)
  const { confirm, keptUntil } = await session.call(api.instances.preview, { params: { id } })
  const kept = keptUntil ? `is kept until ${keptUntil} and then deleted` : 'is deleted at once'
  await confirmLoss(terminal, {
    isAgreed: given.has('yes'),
    loss: `This ends ${plain(confirm)}: it stops now and ${kept}. Its unused time is not paid back.`,
    word: confirm,
  })
  const started = await session.call(api.instances.end, { params: { id }, body: { confirm } })
  await waitForJob(world, id, started.jobId).catch((error: unknown) => {
    // A server that is deleted at once is not found any more.
    if (!(error instanceof Failure && error.exit === 'notFound')) throw error
  })
  showDone(world, started, `Server ${id} ${given.has('wait') ? 'has ended' : 'is ending'}.`)
}

export const serverCommands: Command[] = [
  {
    name: 'servers list',
    says: 'Your servers',
    examples: ['hushbox servers list', 'hushbox servers list -o json | jq -r ".[].ipAddress"'],
    calls: [api.client.instances],
    async run(world) {
      showList(world, await world.session().call(api.client.instances), {
        ID: ({ id }) => id,
        NAME: ({ label }) => label,
        STATE: ({ status, suspended }) => (suspended ? 'suspended' : status),
        ADDRESS: ({ ipAddress }) => ipAddress,
        PRICE: ({ monthlyPrice }) => monthlyPrice,
        CREATED: ({ createdAt }) => createdAt.slice(0, 10),
      })
    },
  },
  {
    name: 'servers show',
    says: 'All that is known of one server',
    takes: SERVER,
    examples: ['hushbox servers show web', 'hushbox servers show 7 -o json'],
    calls: [api.servers.get],
    run: async (world) => showServer(world, await readServer(world, await serverId(world))),
  },
  {
    name: 'servers power',
    says: 'Start, stop (like pulling the plug), shut down or restart a server',
    takes: { ...SERVER, action: { says: POWER_ACTS.join(', '), words: POWER_ACTS } },
    flags: waitBy(api.instances.status),
    examples: ['hushbox servers power web restart --wait'],
    calls: POWER_ACTS.map((act) => api.instances[act]),
    run: power,
  },
  {
    name: 'servers console',
    says: 'The link to the screen of a server',
    takes: SERVER,
    examples: ['hushbox servers console web'],
    calls: [api.servers.get],
    run: openConsole,
  },
  {
    name: 'servers reinstall',
    says: 'Replace the system of a server and all that is on its disk',
    takes: SERVER,
    flags: { ...REINSTALL_FLAGS, ...YES, ...WAIT, ...ONCE },
    examples: [
      'hushbox servers reinstall web --os "Debian 12" --ssh-key 1 --yes --wait',
      'hushbox servers reinstall web --no-ssh-key --snapshot-first',
    ],
    calls: [api.servers.reinstallPreview, api.servers.reinstall],
    run: reinstall,
  },
  {
    name: 'servers end',
    says: 'End a server: it stops now, is kept for a while and then deleted',
    takes: SERVER,
    flags: { ...YES, ...WAIT, ...ONCE },
    examples: ['hushbox servers end web', 'hushbox servers end 7 --yes --wait'],
    calls: [api.instances.preview, api.instances.end],
    run: end,
  },
]
