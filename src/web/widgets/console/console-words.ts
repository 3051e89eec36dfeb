import type { ConsoleReply } from '#shared/rules/instance/console-address.ts'
import { readVnc } from '#shared/rules/instance/console-address.ts'
import { ApiError, sentenceOf, serverSentence } from '../../api/api-error.ts'
import type { Notice } from '../../api/toasts.ts'

/** Why a console did not open: the toast, and the sentence in the dialog. */
export type ConsoleFailure = { toast: Notice; message: string }

/** The call failed: the server's own sentence where it sent one. */
export function failureOf(error: Error | undefined): ConsoleFailure {
  const said = serverSentence(error)
  const isUnanswered = error instanceof ApiError && error.status === 0
  if (isUnanswered) {
    const message = `Failed to connect to console. ${sentenceOf(error)}`
    return {
      toast: { title: 'Console Error', description: 'Failed to connect to console' },
      message,
    }
  }
  const message = said ?? 'Failed to get console access'
  return { toast: { title: 'Console access failed', description: message }, message }
}

/** The call succeeded, but the answer lacks what a console needs. */
export function problemOf(reply: ConsoleReply): ConsoleFailure | undefined {
  const vnc = readVnc(reply)
  if (!('problem' in vnc)) return undefined
  return {
    toast: {
      tone: 'bad',
      title: 'Console Error',
      description: 'Failed to get VNC connection details',
    },
    message: vnc.problem,
  }
}
