/**
 * Facts that the server wrote into the page: see index.html. Absent in tests and in development.
 */
const facts: DOMStringMap = typeof document === 'undefined' ? {} : document.documentElement.dataset

export const brandName = facts.brand || 'Hushbox'
export const isDemo = facts.demo === '1'

const DEFAULT_GRACE_DAYS = 7
/** How long a server that ended is kept before it is deleted. */
export const graceDays = Number(facts.graceDays ?? DEFAULT_GRACE_DAYS)

/** Payment methods in a visitor's terms; empty where no money moves. */
export const paymentWays = (facts.paymentWays ?? '').split(', ').filter((way) => way !== '')

/** The operator of this installation; each field is empty where the operator does not say. */
export const operator = {
  name: facts.operator ?? '',
  place: facts.operatorPlace ?? '',
  contact: facts.operatorContact ?? '',
}

/** The nonce of the content security policy, for style elements created by libraries. */
export const pageNonce = (): string | undefined =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce || undefined
