import { api } from '#shared/api/index.ts'
import type { Server } from '#shared/api/overview/servers.ts'
import { Failure, misuse } from '../terminal/failure.ts'
import { plain } from '../terminal/width.ts'
import { showFacts, type World } from './command.ts'

/** The id of the server that is meant by its id or its name. */
export async function serverId(
  world: World,
  server = world.given.values.server ?? '',
): Promise<number> {
  if (/^\d{1,9}$/.test(server)) return Number(server)
  const all = await world.session().call(api.client.instances)
  const found = all.filter(({ label, name }) => label === server || name === server)
  const [only, another] = found
  if (!only) {
    throw new Failure('notFound', `No server is called ${plain(server)}. See: hushbox servers list`)
  }
  if (!another) return only.id
  const ids = found.map(({ id }) => id).join(', ')
  throw misuse(`Several servers are called ${plain(server)}. Use the id of one: ${ids}.`)
}

export const readServer = (world: World, id: number): Promise<Server> =>
  world.session().call(api.servers.get, { params: { id } })

export function showServer(world: World, server: Server): void {
  const { size } = server
  showFacts(world, server, {
    Id: server.id,
    Name: server.label,
    State: server.status,
    Failure: server.failure,
    Addresses: server.addresses.join(', '),
    Hostname: server.hostname,
    System: server.osType,
    Size: `${size.cpu} CPU, ${size.ramGb} GB memory, ${size.diskGb} GB ${size.diskKind}`,
    Package: server.packageName,
    'Next package': server.nextPackage?.name,
    'Paid until': server.paidUntil,
    'Kept until': server.keptUntil,
    Suspended: server.suspended?.reason,
    'Host keys': server.hostKeys.map(({ fingerprint }) => fingerprint).join(', '),
    Work: server.jobs.map(({ title, state }) => `${title} (${state})`).join(', '),
  })
}
