import { useState } from 'react'
import { sentenceOf } from '../../../api/api-error.ts'
import { call } from '../../../api/call.ts'
import { api } from '../../../api/table.ts'
import { showToast } from '../../../api/toasts.ts'
import { useAction } from '../../../api/use-action.ts'
import { randomPassword } from '../../../lib/forms/random-password.ts'
import { TOKENS_CHANGED } from '../../../widgets/token/tokens-changed.ts'
import { createBody, type TokenFields } from '../form/token-form.ts'
import { createdNotice } from './token-notices.ts'

/** How many tokens exist so far, and how many were requested. */
export type Making = { made: number; of: number }

/**
 * Creates one token after another, each with the next free address and its own password. Stops at
 * the first failure and says how many were created: those exist and can be sold.
 */
export function useCreateTokens() {
  const [making, setMaking] = useState<Making>()
  const create = useAction(api.tokens.create, { done: createdNotice, refresh: TOKENS_CHANGED })
  const quiet = useAction(api.tokens.create, {
    failed: () => undefined,
    refresh: TOKENS_CHANGED,
  })

  async function run(fields: TokenFields, count: number): Promise<number> {
    if (count === 1) return (await create.run({ body: createBody(fields) })).ok ? 1 : 0
    for (let made = 0; made < count; made += 1) {
      setMaking({ made, of: count })
      const failure = await makeOne(made === 0 ? fields : undefined, fields)
      if (failure === undefined) continue
      setMaking(undefined)
      const title = made === 0 ? 'Error' : `${made} of ${count} tokens created`
      showToast({ tone: 'bad', title, description: failure })
      return made
    }
    setMaking(undefined)
    showToast({ title: `${count} tokens created successfully` })
    return count
  }

  /** Why it was not created; undefined where it was. */
  async function makeOne(first: TokenFields | undefined, like: TokenFields) {
    try {
      const fields = first ?? { ...like, ...(await uniqueFields(like)) }
      const outcome = await quiet.run({ body: createBody(fields) })
      return outcome.ok ? undefined : sentenceOf(outcome.error)
    } catch (error) {
      return sentenceOf(error)
    }
  }

  return { run, making, isPending: create.isPending || making !== undefined }
}

async function uniqueFields({ nodeId }: TokenFields): Promise<Partial<TokenFields>> {
  const { ipAddress } = await call(api.tokens.nextAddress, { query: { nodeId: Number(nodeId) } })
  if (ipAddress === null) throw new Error('No free address is left in this network.')
  return { ipAddress, password: randomPassword() }
}
