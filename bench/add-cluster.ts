import type { Sim } from '#pve-sim/sim.ts'
import type { signIn } from '../src/server/testing/server-process.ts'

type Call = Awaited<ReturnType<typeof signIn>>

export async function post(call: Call, path: string, body: object = {}): Promise<void> {
  const reply = await call(path, { method: 'POST', body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
}

/** Connects a simulator as an operator does; returns once its whole inventory is read. */
export async function addCluster(call: Call, sim: Sim): Promise<void> {
  const { host, port, apiToken, fingerprint: tlsFingerprint } = sim
  const { id: username, secret: password } = apiToken
  await post(call, '/api/clusters', {
    name: 'Bench',
    host,
    port,
    username,
    password,
    tlsFingerprint,
  })
}
