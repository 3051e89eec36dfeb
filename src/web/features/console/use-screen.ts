import { type RefObject, useEffect, useRef, useState } from 'react'
import { directConsoleAddress, readVnc } from '#shared/rules/instance/console-address.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { api } from '../../api/table.ts'
import { type EndingWords, retryAfter, wordsOf } from './ending-words.ts'
import { connectScreen, type ScreenConnection } from './screen-connection.ts'

export type ScreenState =
  | { kind: 'connecting'; isAgain: boolean }
  | { kind: 'open' }
  | { kind: 'ended'; words: EndingWords; willRetry: boolean }
  /** The cluster shows it on its own page. */
  | { kind: 'elsewhere'; address: string }

type Access = { ticket: string } | { address: string }

/**
 * The ticket that the dialog put behind the #; removed from the address at once, because it is a
 * secret.
 */
function takeTicket(): string | undefined {
  const ticket = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  return ticket || undefined
}

async function newAccess(id: number): Promise<Access> {
  const reply = await call(api.consoles.ticket, { params: { id } })
  const vnc = readVnc(reply)
  if ('problem' in vnc) throw new Error(vnc.problem)
  return reply.isDirect ? { address: directConsoleAddress(location, vnc) } : { ticket: vnc.ticket }
}

const failure = (error: unknown): EndingWords => ({
  title: 'The console did not open',
  text: sentenceOf(error),
  next: 'connect',
  isPassing: false,
})

/** The screen of an instance in an element; reconnects by itself after passing failures. */
export function useScreen(id: number, target: RefObject<HTMLElement | null>) {
  const screen = useRef<ScreenConnection>(undefined)
  const tries = useRef(0)
  const [attempt, setAttempt] = useState(0)
  const [state, setState] = useState<ScreenState>({ kind: 'connecting', isAgain: false })

  useEffect(() => {
    const element = target.current
    if (!element) return
    let isGone = false
    let timer: ReturnType<typeof setTimeout> | undefined
    setState({ kind: 'connecting', isAgain: attempt > 0 })

    const end = (words: EndingWords) => {
      const wait = retryAfter(words, tries.current)
      tries.current += 1
      setState({ kind: 'ended', words, willRetry: wait !== undefined })
      if (wait !== undefined) timer = setTimeout(() => setAttempt((count) => count + 1), wait)
    }
    const open = (access: Access) => {
      if (isGone) return
      if ('address' in access) return setState({ kind: 'elsewhere', address: access.address })
      screen.current = connectScreen(element, access.ticket, {
        onOpen: () => {
          tries.current = 0
          setState({ kind: 'open' })
        },
        onEnd: (ending) => end(wordsOf(ending)),
      })
    }
    const given = attempt === 0 ? takeTicket() : undefined
    Promise.resolve(given === undefined ? newAccess(id) : { ticket: given }).then(
      open,
      (error: unknown) => {
        if (!isGone) end(failure(error))
      },
    )
    return () => {
      isGone = true
      clearTimeout(timer)
      screen.current?.stop()
      element.replaceChildren()
    }
  }, [id, attempt, target])

  return {
    state,
    screen,
    connect() {
      // A manual retry starts the count again.
      tries.current = 0
      setAttempt((count) => count + 1)
    },
  }
}
