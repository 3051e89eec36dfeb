import type { BrowserContext, Response } from '@playwright/test'
import { signIn } from '../../src/server/testing/server-process.ts'

/** The cluster's words for its tickets, tokens and first user: none of them may reach a client. */
const CLUSTER_WORDS = /PVEVNC:|PVEAuthCookie|PVEAPIToken|CSRFPreventionToken|root@pam/
/** Longer frames are pictures, not text. */
const FRAME_CHARACTERS = 4096

export type LeakWatch = ReturnType<typeof leakWatch>

type Heard = { from: string; text: string }
type Browser = { heard: Heard[]; isAdmin: boolean }

/** Keeps what the server sends to each browser, and searches it at the end of a test. */
export function leakWatch(origin: string) {
  let browsers: Browser[] = []
  let reading: Promise<void>[] = []
  let address: Promise<RegExp> | undefined

  /** In tests the cluster's host is our own; only its port identifies it. */
  async function clusterAddress(): Promise<RegExp> {
    const call = await signIn(origin)
    const clusters = (await (await call('/api/clusters')).json()) as { port: number }[]
    const ports = clusters.map(({ port }) => port)
    return ports.length === 0 ? /(?!)/ : new RegExp(`(?<![\\d.])(${ports.join('|')})(?![\\d.])`)
  }

  async function read(browser: Browser, response: Response): Promise<void> {
    const { pathname } = new URL(response.url())
    const type = response.headers()['content-type'] ?? ''
    if (!pathname.startsWith('/api/') || type.startsWith('text/event-stream')) return
    // A page that was left discards its answers: they were never shown.
    const text = await response.text().catch(() => '')
    const isMe = pathname === '/api/auth/me' || pathname === '/api/auth/login'
    if (isMe && text.includes('"role":"admin"')) browser.isAdmin = true
    if (!browser.isAdmin) browser.heard.push({ from: pathname, text })
  }

  return {
    watch(context: BrowserContext): void {
      const browser: Browser = { heard: [], isAdmin: false }
      browsers.push(browser)
      context.on('response', (response) => reading.push(read(browser, response)))
      context.on('page', (page) =>
        page.on('websocket', (socket) =>
          socket.on('framereceived', ({ payload }) => {
            const text = Buffer.from(payload).toString('latin1').slice(0, FRAME_CHARACTERS)
            browser.heard.push({ from: 'the console’s socket', text })
          }),
        ),
      )
    },
    /** Leaks to any browser but an administrator's. Starts again afterwards. */
    async found(): Promise<string[]> {
      await Promise.all(reading)
      const heard = browsers.filter(({ isAdmin }) => !isAdmin).flatMap((browser) => browser.heard)
      browsers = []
      reading = []
      if (heard.length === 0) return []
      address ??= clusterAddress()
      const port = await address
      return heard
        .filter(({ text }) => CLUSTER_WORDS.test(text) || port.test(text))
        .map(({ from }) => `the cluster shows in what ${from} said`)
    },
  }
}
