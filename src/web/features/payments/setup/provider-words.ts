/** The name of each provider, and how clients pay by it. */
export const PROVIDER_WORDS: Record<string, [name: string, how: string]> = {
  sandbox: ['Sandbox', 'Every order counts as paid at once.'],
  manual: ['Manual', 'Clients pay you directly; you mark their orders as paid.'],
  stripe: [
    'Stripe',
    'Clients pay by card on a page of Stripe. Card data never touches this server.',
  ],
  btcpay: [
    'BTCPay Server',
    'Clients pay in cryptocurrency, to the store of your own BTCPay Server.',
  ],
  monero: ['Monero', 'Clients pay to addresses of your own wallet, which a view-only one watches.'],
}

/** The provider's own name. */
export const nameOf = (provider: string): string => PROVIDER_WORDS[provider]?.[0] ?? provider
