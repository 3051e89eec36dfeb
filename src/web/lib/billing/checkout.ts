import { navigate } from 'wouter/use-browser-location'

/** Opens the page where an order is paid: ours, or the provider's. */
export function followCheckout(url: string): void {
  if (url.startsWith('/')) navigate(url)
  else location.assign(url)
}

/** The part of a request that names the chosen way to pay; without one the first is taken. */
export const payingBy = (way: string | undefined) =>
  way === undefined ? {} : { paymentMethod: way }

/** Schemes that would run code here instead of opening a wallet. */
const RUNS = /^(javascript|data|blob|vbscript|file):/i

/** A link that a wallet understands, such as bitcoin:…; undefined where it is anything else. */
export const walletLink = (link: string): string | undefined =>
  /^[a-z][a-z0-9+.-]*:/i.test(link) && !RUNS.test(link) ? link : undefined
