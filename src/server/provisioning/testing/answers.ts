import { eq } from 'drizzle-orm'
import { sshPortOf } from '#shared/rules/network/ssh-port.ts'
import { instances } from '../../db/schema/stock.ts'
import { startSshServer, TEST_KEYS } from '../../ssh/testing/ssh-server.ts'
import { atEnd } from '../../testing/at-end.ts'
import type { TestApp } from '../../testing/test-app.ts'
import type { Bend } from './by-hand.ts'

let lastHost = process.pid % 200

/**
 * New servers answer by SSH, at an address of this machine: for tests in which the simulator's
 * agents must not prove them.
 */
export async function answersBySsh({ db }: Pick<TestApp, 'db'>): Promise<Bend> {
  lastHost += 1
  const ipAddress = `127.77.0.${lastHost}`
  const server = await startSshServer(
    { keys: [TEST_KEYS.ed25519()] },
    { host: ipAddress, port: sshPortOf(ipAddress) },
  )
  atEnd(server.close)
  return (steps, kind) =>
    steps.map((step) =>
      kind === 'provision' && step.name === 'proof'
        ? {
            ...step,
            run: async (context) => {
              const { tokenId } = (context as { input: { tokenId: number } }).input
              await db.update(instances).set({ ipAddress }).where(eq(instances.tokenId, tokenId))
              return await step.run(context)
            },
          }
        : step,
    )
}
