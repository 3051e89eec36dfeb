import type { ProviderSetup } from '#shared/api/money/provider-keys.ts'
import { PROVIDER_FIELDS, type SettableProvider } from '#shared/rules/money/provider-fields.ts'
import type { Answers } from '../../acts/network.ts'
import { pressAndAsk, type Screen } from '../answers/screen-acts.ts'

const PATH = '/settings?tab=payments'
const VALUES: Record<string, string> = {
  BTCPAY_URL: 'https://btcpay.example',
  BTCPAY_STORE_ID: '9sTq7mWfXh',
}

const setup = (name: SettableProvider, part: Partial<ProviderSetup>): ProviderSetup => ({
  name,
  isOffered: false,
  isListed: false,
  setBy: 'settings',
  variables: [],
  fields: PROVIDER_FIELDS[name].map((field) => ({
    name: field.name,
    isSet: field.isNeeded === true,
    value: VALUES[field.name] ?? null,
  })),
  savedAt: '2026-11-16T09:00:00.000Z',
  savedBy: 'owner@vps.example',
  problem: null,
  openPayments: 0,
  webhookUrl: name in { stripe: 1, btcpay: 1 } ? `https://vps.example/api/webhooks/${name}` : null,
  ...part,
})

const answers: Answers = {
  '**/api/payments/providers': [
    setup('stripe', {
      isOffered: true,
      isListed: true,
      setBy: 'environment',
      variables: ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
      savedAt: null,
      savedBy: null,
    }),
    setup('btcpay', { isOffered: true, openPayments: 2 }),
    setup('monero', {
      savedAt: null,
      savedBy: null,
      problem:
        'A secret in settings.value cannot be read: it was sealed with another SECRET_KEY (5d01b3c8); set that one, or SECRET_KEY_PREVIOUS',
    }),
    setup('manual', { setBy: null, savedAt: null, savedBy: null }),
  ],
}

/** The payment providers in every state, and each question. */
export const PROVIDER_KEYS_SCREENS: readonly Screen[] = [
  { role: 'admin', name: 'provider-keys', path: PATH, answers },
  {
    role: 'admin',
    name: 'provider-keys-enter',
    path: PATH,
    answers,
    prepare: pressAndAsk('Change keys of BTCPay Server'),
  },
  {
    role: 'admin',
    name: 'provider-keys-off',
    path: PATH,
    answers,
    prepare: pressAndAsk('Turn off BTCPay Server'),
  },
  {
    role: 'admin',
    name: 'provider-keys-remove',
    path: PATH,
    answers,
    prepare: pressAndAsk('Remove keys of Monero'),
  },
]
