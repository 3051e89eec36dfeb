import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

const RECONNECT_MS = 1000
const CONNECT_MS = 5000
const GOODBYE_MS = 1000
/**
 * A connection that silently drops packets reports no error, and a listener sends nothing on its
 * own.
 */
const PULSE_MS = 10_000

type Options = { url: string; onError: (error: Error) => void; pulseMs?: number }

/**
 * Holds one connection for LISTEN and reopens it when it is lost. `onGap` runs after each opening:
 * earlier notifications may have been missed.
 */
export async function listen(
  { url, onError, pulseMs = PULSE_MS }: Options,
  channel: string,
  onMessage: (payload: string) => void,
  onGap: () => void,
): Promise<() => Promise<void>> {
  let current: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  /** An error thrown by a listener must not end the process. */
  const tell = (work: () => void) => {
    try {
      work()
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)))
    }
  }

  const open = async (): Promise<void> => {
    const client = new pg.Client({
      connectionString: url,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: CONNECT_MS,
      application_name: 'hushbox-listen',
    })
    let isLost = false
    let pulse: NodeJS.Timeout | undefined
    const lose = (error: Error) => {
      if (isLost) return
      isLost = true
      clearInterval(pulse)
      client.end().catch(onError)
      if (isClosed || client !== current) return
      onError(error)
      openAgain()
    }
    // Registered at once: an error event without a listener ends the process.
    client.on('error', lose)
    client.on('end', () => lose(new Error('the database closed the connection that listens')))
    client.on('notification', ({ payload }) => tell(() => onMessage(payload ?? '')))
    try {
      await client.connect()
      await client.query(`listen ${pg.escapeIdentifier(channel)}`)
      if (isLost || isClosed) throw new Error('the connection that listens was lost at once')
    } catch (error) {
      lose(error as Error)
      throw error
    }
    current = client
    pulse = setInterval(() => void client.query('select 1').catch(lose), pulseMs)
    pulse.unref()
    tell(onGap)
  }

  const openAgain = () => {
    timer = setTimeout(() => {
      open().catch((error: Error) => {
        if (isClosed) return
        onError(error)
        openAgain()
      })
    }, RECONNECT_MS)
  }

  await open()
  return async () => {
    isClosed = true
    clearTimeout(timer)
    // A dead connection does not acknowledge the close either.
    await Promise.race([current?.end(), pause(GOODBYE_MS, undefined, { ref: false })])
  }
}
