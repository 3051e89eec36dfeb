export type Watch<Answer> = {
  (): Answer | undefined
  /** Whether one question has had all its time: until then, no answer says nothing. */
  hasAsked(): boolean
}

/**
 * Asks again and again in the background until there is an answer: a silent address must not delay
 * its caller. The question never fails.
 */
export function watch<Answer>(ask: () => Promise<Answer | undefined>): Watch<Answer> {
  let hasAsked = false
  let answer: Answer | undefined
  let isAsking = false
  const askOnce = async () => {
    isAsking = true
    answer = await ask()
    isAsking = false
    hasAsked = true
  }
  const look = () => {
    if (!isAsking && answer === undefined) void askOnce()
    return answer
  }
  return Object.assign(look, { hasAsked: () => hasAsked })
}
