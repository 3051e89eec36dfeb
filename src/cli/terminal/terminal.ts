import { createInterface } from 'node:readline/promises'
import { Failure, misuse } from './failure.ts'

/** Where a command speaks: results on stdout, everything else on stderr. */
export type Terminal = {
  out(text: string): void
  err(text: string): void
  /** Whether there is a person to be asked. */
  canAsk: boolean
  /** Whether the last line on stderr can be written over. */
  isLive: boolean
  hasColor: boolean
  ask(question: string): Promise<string>
  /** Shows nothing of what is typed. */
  askSecret(question: string): Promise<string>
}

export function processTerminal({ stdin, stdout, stderr, env } = process): Terminal {
  const isPlain = Boolean(env.NO_COLOR) || env.TERM === 'dumb'
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    canAsk: stdin.isTTY && stderr.isTTY,
    isLive: stderr.isTTY && env.TERM !== 'dumb',
    hasColor: stdout.isTTY && !isPlain,
    async ask(question) {
      const lines = createInterface({ input: stdin, output: stderr })
      const given = new AbortController()
      lines.once('close', () => given.abort())
      try {
        return (await lines.question(question, { signal: given.signal })).trim()
      } catch {
        throw stopped()
      } finally {
        lines.close()
      }
    },
    async askSecret(question) {
      stderr.write(question)
      stdin.setRawMode(true)
      try {
        return await typedSecret(stdin)
      } finally {
        stdin.setRawMode(false)
        stdin.pause()
        stderr.write('\n')
      }
    },
  }
}

const stopped = () => new Failure('misuse', 'Stopped; nothing was changed.')

const ENTER = ['\r', '\n']
const BACKSPACE = ['\b', '\u007f']
/** Ctrl-C and Ctrl-D. */
const STOP = ['\u0003', '\u0004']

function typedSecret(stdin: NodeJS.ReadStream): Promise<string> {
  return new Promise((done, failed) => {
    let typed = ''
    const read = (chunk: Buffer) => {
      for (const letter of chunk.toString()) {
        if (ENTER.includes(letter) || STOP.includes(letter)) {
          stdin.off('data', read)
          return STOP.includes(letter) ? failed(stopped()) : done(typed.trim())
        }
        typed = BACKSPACE.includes(letter) ? typed.slice(0, -1) : typed + letter
      }
    }
    stdin.on('data', read)
    stdin.resume()
  })
}

/** Asks before something is lost: a person types its name, a script says `--yes`. */
export async function confirmLoss(
  terminal: Terminal,
  { isAgreed, loss, word }: { isAgreed: boolean; loss: string; word: string },
): Promise<void> {
  if (isAgreed) return
  if (!terminal.canAsk) throw misuse(`${loss} Nobody can be asked here: add --yes to do it.`)
  terminal.err(`${loss}\n`)
  const typed = await terminal.ask(`Type ${word} to go on: `)
  if (typed !== word) throw misuse('That is not its name; nothing was changed.')
}
