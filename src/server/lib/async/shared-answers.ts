/**
 * Callers that ask the same of the same one at the same time share its answer. Nothing is kept
 * beyond it.
 */
export function sharedAnswers<Asked extends object, Answer>() {
  const underWay = new WeakMap<Asked, Map<number, Promise<Answer>>>()
  return (asked: Asked, key: number, ask: () => Promise<Answer>): Promise<Answer> => {
    const asking = underWay.get(asked) ?? new Map<number, Promise<Answer>>()
    underWay.set(asked, asking)
    const answer = asking.get(key) ?? ask().finally(() => asking.delete(key))
    asking.set(key, answer)
    return answer
  }
}
