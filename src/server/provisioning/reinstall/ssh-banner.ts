import { connect } from 'node:net'

const SSH_PORT = 22
const PATIENCE_MS = 3000
const BANNER = 'SSH-'

type Place = { port?: number; patienceMs?: number }

/** Whether an SSH server answers there, by the first bytes it sends. Nothing is sent to it. */
export function hasSshBanner(
  host: string,
  { port = SSH_PORT, patienceMs = PATIENCE_MS }: Place = {},
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    let read = ''
    const end = (answer: boolean) => {
      clearTimeout(limit)
      socket.destroy()
      resolve(answer)
    }
    const limit = setTimeout(() => end(false), patienceMs)
    socket.setEncoding('latin1')
    socket.on('data', (text) => {
      read += String(text)
      if (read.length >= BANNER.length || !BANNER.startsWith(read)) end(read.startsWith(BANNER))
    })
    socket.on('error', () => end(false))
    socket.on('close', () => end(false))
  })
}

/** Asks again and again in the background: a silent address must not delay its caller. */
export function watchSsh(host: string, place?: Place): () => boolean {
  let hasAnswered = false
  let isAsking = false
  return () => {
    if (!isAsking && !hasAnswered) {
      isAsking = true
      void hasSshBanner(host, place).then((answer) => {
        hasAnswered = answer
        isAsking = false
      })
    }
    return hasAnswered
  }
}
