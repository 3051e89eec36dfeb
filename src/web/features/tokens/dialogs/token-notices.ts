import type { Token } from '#shared/api/shop/tokens.ts'
import { ApiError, serverSentence } from '../../../api/api-error.ts'
import type { Notice } from '../../../api/toasts.ts'

/** Titled "Error", with the sentence of the specification followed by the server's reason. */
export const failedTo = (sentence: string) => (error: Error) => {
  const reason = serverSentence(error)
  return { title: 'Error', description: reason ? `${sentence}: ${reason}` : sentence }
}

/** "message: details" where the server gave both, else the message, else the sentence. */
export function duplicateFailure(error: Error): Notice {
  const body = error instanceof ApiError ? error.body : undefined
  const details = typeof body?.details === 'string' ? body.details : undefined
  const said = body && details ? `${body.message}: ${details}` : serverSentence(error)
  return { title: 'Error', description: said || 'Failed to duplicate token' }
}

type Created = Token & { isFreeTrial?: boolean | undefined; message?: string | undefined }

export const createdNotice = ({ isFreeTrial, message }: Created): Notice =>
  isFreeTrial
    ? {
        title: 'Free Trial Token Created',
        description: message ?? 'Free trial token created successfully - no payment required',
      }
    : { title: 'Token created successfully' }
