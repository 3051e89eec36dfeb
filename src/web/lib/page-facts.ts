/** What the server wrote into the page: see index.html. Absent in tests and in development. */
const facts: DOMStringMap = typeof document === 'undefined' ? {} : document.documentElement.dataset

export const brandName = facts.brand || 'Hushbox'
export const isDemo = facts.demo === '1'

/** The nonce of the content security policy, for style elements made by libraries. */
export const pageNonce = (): string | undefined =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce || undefined
