/**
 * Asks again and again in the background until the answer is yes: a silent address must not delay
 * its caller. The question never fails.
 */
export function watch(ask: () => Promise<boolean>): () => boolean {
  let hasAnswered = false
  let isAsking = false
  const askOnce = async () => {
    isAsking = true
    hasAnswered = await ask()
    isAsking = false
  }
  return () => {
    if (!isAsking && !hasAnswered) void askOnce()
    return hasAnswered
  }
}
