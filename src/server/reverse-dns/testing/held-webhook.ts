import { webServer } from '../../testing/web-server.ts'

type Told = { type: string; address?: string; hostname?: string | null }

/** A webhook that takes every name, at once or when the test says so. */
export async function heldWebhook() {
  const asked: Told[] = []
  let held: { asked: () => void; released: Promise<void> } | undefined
  const url = await webServer(async (_, response, body) => {
    asked.push(JSON.parse(body) as Told)
    const now = held
    held = undefined
    now?.asked()
    await now?.released
    response.writeHead(204).end()
  })
  return {
    url,
    asked,
    namesOf: (address: string) =>
      asked.filter((one) => one.address === address).map(({ hostname }) => hostname),
    /** Keeps the next call waiting. */
    hold() {
      const arrival = Promise.withResolvers<void>()
      const end = Promise.withResolvers<void>()
      held = { asked: arrival.resolve, released: end.promise }
      return { isAsked: arrival.promise, release: end.resolve }
    },
  }
}
