/** The providers that an operator sets up on the page, in the order in which they are offered. */
export const SETTABLE_PROVIDERS = ['stripe', 'btcpay', 'monero', 'manual'] as const
export type SettableProvider = (typeof SETTABLE_PROVIDERS)[number]

export type ProviderField = {
  /** Named as the variable that sets it in the environment: both have the same rules. */
  name: string
  label: string
  hint?: string
  isNeeded?: true
  /** Never leaves the server again. */
  isSecret?: true
  /** Where the secrets are sent: another one needs them entered again. */
  isAddress?: true
}

export const PROVIDER_FIELDS: Record<SettableProvider, readonly ProviderField[]> = {
  stripe: [
    { name: 'STRIPE_SECRET_KEY', label: 'Secret key', isNeeded: true, isSecret: true },
    {
      name: 'STRIPE_WEBHOOK_SECRET',
      label: 'Webhook secret',
      hint: 'Stripe shows it where you add the webhook.',
      isNeeded: true,
      isSecret: true,
    },
    {
      name: 'STRIPE_API_URL',
      label: 'Address (optional)',
      hint: 'Only where your server reaches Stripe through a proxy.',
      isAddress: true,
    },
  ],
  btcpay: [
    { name: 'BTCPAY_URL', label: 'Address', isNeeded: true, isAddress: true },
    { name: 'BTCPAY_STORE_ID', label: 'Store id', isNeeded: true },
    {
      name: 'BTCPAY_API_KEY',
      label: 'API key',
      hint: 'May create and view invoices; with pull payments it can refund.',
      isNeeded: true,
      isSecret: true,
    },
    { name: 'BTCPAY_WEBHOOK_SECRET', label: 'Webhook secret', isNeeded: true, isSecret: true },
    {
      name: 'BTCPAY_PAYMENT_METHODS',
      label: 'Payment methods (optional)',
      hint: 'Ids with commas between them, such as BTC-CHAIN,BTC-LN. Empty: all that the store offers.',
    },
  ],
  monero: [
    {
      name: 'MONERO_WALLET_URL',
      label: 'Address of monero-wallet-rpc',
      hint: 'With a view-only wallet open.',
      isNeeded: true,
      isAddress: true,
    },
    {
      name: 'MONERO_WALLET_LOGIN',
      label: 'Login',
      hint: 'user:password, as in --rpc-login.',
      isNeeded: true,
      isSecret: true,
    },
    {
      name: 'MONERO_RATE',
      label: 'Dollars for one Monero (optional)',
      hint: 'A fixed rate. Leave it empty to read the rate from an address.',
    },
    {
      name: 'MONERO_RATE_URL',
      label: 'Address of the rate (optional)',
      hint: 'Answers JSON. It is asked without any key.',
    },
    {
      name: 'MONERO_RATE_FIELD',
      label: 'Field of the answer (optional)',
      hint: 'With dots between the names, such as monero.usd.',
    },
    { name: 'MONERO_RATE_MIN', label: 'Lowest rate believed (optional)' },
    { name: 'MONERO_RATE_MAX', label: 'Highest rate believed (optional)' },
  ],
  manual: [],
}
