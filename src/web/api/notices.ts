import { sentenceOf, serverSentence } from './api-error.ts'
import type { Notice } from './toasts.ts'

/** How an action words its result: a title, title and description, or a function of the result. */
export type Saying<A extends unknown[]> =
  | string
  | { title: string; description?: string }
  | ((...args: A) => Notice | undefined)

export function doneNotice<A extends unknown[]>(
  saying: Saying<A> | undefined,
  ...args: A
): Notice | undefined {
  if (saying === undefined) return undefined
  if (typeof saying === 'function') return saying(...args)
  return typeof saying === 'string' ? { title: saying } : saying
}

/**
 * The title is the action's; the description is the server's sentence. The action's own description
 * is shown only when the server sent none.
 */
export function failedNotice<A extends unknown[]>(
  saying: Saying<[Error, ...A]> | undefined,
  error: Error,
  ...args: A
): Notice | undefined {
  if (typeof saying === 'function') {
    const notice = saying(error, ...args)
    return notice && { tone: 'bad', ...notice }
  }
  const title = typeof saying === 'string' ? saying : (saying?.title ?? 'Error')
  const own = typeof saying === 'object' ? saying.description : undefined
  const description = own ? (serverSentence(error) ?? own) : sentenceOf(error)
  return { tone: 'bad', title, description }
}
