/**
 * Asks again and again in the background until there is an answer: a silent address must not delay
 * its caller. The question never fails.
 */
export function watch<Answer>(ask: () => Promise<Answer | undefined>): () => Answer | undefined {
  let answer: Answer | undefined
  let isAsking = false
  const askOnce = async () => {
    isAsking = true
    answer = await ask()
    isAsking = false
  }
  return () => {
    if (!isAsking && answer === undefined) void askOnce()
    return answer
  }
}
