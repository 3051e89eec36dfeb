import { z } from 'zod'
import { Timestamp } from '../parts/fields.ts'

const text = z.string().nullable()
const at = Timestamp.nullable()

const ExportedRule = z.object({
  direction: z.string(),
  action: z.string(),
  protocol: z.string().optional(),
  ports: z.string().optional(),
  source: z.string().optional(),
  destination: z.string().optional(),
  comment: z.string().optional(),
})

/** Everything stored about the caller, except passwords: those are revealed one at a time. */
export const AccountExport = z.object({
  exportedAt: Timestamp,
  account: z.object({
    username: z.string(),
    email: text,
    firstName: text,
    lastName: text,
    mobileNumber: text,
    role: z.string(),
    isActive: z.boolean(),
    agreedToTerms: z.boolean(),
    stripeCustomerId: text,
    hasDevice: z.boolean(),
    isLookAlike: z.boolean(),
    registrationIp: text,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
  sessions: z.array(
    z.object({
      device: z.string(),
      createdAt: Timestamp,
      lastSeenAt: Timestamp,
      expiresAt: Timestamp,
    }),
  ),
  /** Null without one. The secret and the codes are not in it: they would help only a thief. */
  secondFactor: z.object({ since: Timestamp, codesLeft: z.number() }).nullable(),
  passkeys: z.array(
    z.object({
      name: z.string(),
      address: z.string(),
      publicKey: z.string(),
      lastUsedOn: z.string().nullable(),
      createdAt: Timestamp,
    }),
  ),
  recoveryKit: z.object({ createdAt: Timestamp }).nullable(),
  recovery: z.object({ startedAt: Timestamp, availableAt: Timestamp }).nullable(),
  sshKeys: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      fingerprint: z.string(),
      publicKey: z.string(),
      createdAt: Timestamp,
    }),
  ),
  /** Without the keys: only their hashes are stored. */
  apiKeys: z.array(
    z.object({
      name: z.string(),
      hint: z.string(),
      scopes: z.array(z.string()),
      cidrs: z.array(z.string()),
      instanceIds: z.array(z.number()).nullable(),
      dailyLimitCents: z.number().nullable(),
      expiresAt: Timestamp.nullable(),
      lastUsedOn: z.string().nullable(),
      createdAt: Timestamp,
    }),
  ),
  /** Without the secrets. */
  webhooks: z.array(
    z.object({
      url: z.string(),
      events: z.array(z.string()),
      isOn: z.boolean(),
      createdAt: Timestamp,
      /** What was sent in the last 30 days. */
      deliveries: z.array(
        z.object({
          type: z.string(),
          state: z.string(),
          payload: z.string(),
          createdAt: Timestamp,
        }),
      ),
    }),
  ),
  /** Of the addresses of one's servers: the name that was chosen, or null for the one by itself. */
  reverseNames: z.array(z.object({ address: z.string(), hostname: z.string().nullable() })),
  activity: z.array(
    z.object({
      at: Timestamp,
      action: z.string(),
      target: text,
      by: z.enum(['you', 'admin', 'system']),
    }),
  ),
  failedLogins: z.array(
    z.object({ hour: Timestamp, count: z.number(), lastAt: Timestamp.nullable() }),
  ),
  servers: z.array(
    z.object({
      tokenId: z.string(),
      name: z.string(),
      status: z.string(),
      osType: z.string(),
      ipAddress: text,
      clientIpAddress: text,
      macAddress: text,
      domain: text,
      username: text,
      assignedAt: at,
      expiresAt: at,
    }),
  ),
  /** The rules of each server. */
  firewalls: z.array(
    z.object({ server: z.string(), incoming: z.string(), rules: z.array(ExportedRule) }),
  ),
  orders: z.array(
    z.object({
      id: z.number(),
      kind: z.string(),
      planName: z.string(),
      osType: text,
      amountCents: z.number(),
      coupon: text,
      discountCents: z.number(),
      creditCents: z.number(),
      currency: z.string(),
      status: z.string(),
      createdAt: Timestamp,
      payments: z.array(
        z.object({
          provider: z.string(),
          providerPaymentId: z.string(),
          status: z.string(),
          amountCents: z.number(),
          receivedCents: z.number(),
          refundedCents: z.number(),
          createdAt: Timestamp,
        }),
      ),
      receipts: z.array(
        z.object({
          number: z.string(),
          kind: z.string(),
          what: z.string(),
          amount: z.string(),
          currency: z.string(),
          issuedAt: Timestamp,
        }),
      ),
    }),
  ),
  ledger: z.array(
    z.object({
      at: Timestamp,
      account: z.string(),
      amountCents: z.number(),
      orderId: z.number().nullable(),
      reason: z.string(),
    }),
  ),
  subscriptions: z.array(
    z.object({
      providerSubscriptionId: z.string(),
      status: z.string(),
      currentPeriodEnd: at,
      createdAt: Timestamp,
    }),
  ),
  jobs: z.array(
    z.object({
      kind: z.string(),
      title: z.string(),
      state: z.string(),
      createdAt: Timestamp,
      finishedAt: at,
    }),
  ),
})
