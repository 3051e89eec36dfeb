import { removeFolder, signIn, startProduct } from '../../src/server/testing/server-process.ts'
import { atMost, type Figure, median, timed } from '../figure.ts'

const TRIES = 200
const PASSWORD = 'the right password'

/**
 * Whether response time reveals that an account exists. Measured in turns, so that noise hits all
 * cases.
 */
export async function measureAuth(): Promise<Figure[]> {
  const server = await startProduct({ DEMO: '0' })
  try {
    const call = await signIn(server.url)
    const make = async (isActive: boolean) => {
      const email = `bench-${isActive}@example.test`
      await call('/api/admin/users', {
        method: 'POST',
        body: JSON.stringify({
          firstName: 'Ada',
          lastName: 'Byron',
          email,
          mobileNumber: '0123456789',
          password: PASSWORD,
          isActive,
          agreedToTerms: true,
        }),
      })
      return email
    }
    const known = await make(true)
    const inactive = await make(false)
    const cases = {
      unknown: { username: 'nobody@example.test', password: PASSWORD },
      wrong: { username: known, password: 'wrong' },
      inactive: { username: inactive, password: PASSWORD },
    }
    const login = (body: object) =>
      fetch(`${server.url}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then((reply) => reply.text())
    const times: Record<keyof typeof cases, number[]> = { unknown: [], wrong: [], inactive: [] }
    for (let n = 0; n < TRIES; n += 1) {
      for (const name of ['unknown', 'wrong', 'inactive'] as const) {
        times[name].push(await timed(() => login(cases[name])))
      }
    }
    const medians = Object.values(times).map(median)
    const spread = Math.max(...medians) - Math.min(...medians)
    return [atMost('sign-in refused: spread of medians, 3 causes × 200', spread, 5, 'ms')]
  } finally {
    await server.stop()
    removeFolder(server.dataDir)
  }
}
