import { z } from 'zod'
import { Timestamp } from '../parts/fields.ts'

const text = z.string().nullable()
const at = Timestamp.nullable()

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
  sshKeys: z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      fingerprint: z.string(),
      publicKey: z.string(),
      createdAt: Timestamp,
    }),
  ),
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
  orders: z.array(
    z.object({
      id: z.number(),
      kind: z.string(),
      planName: z.string(),
      osType: text,
      amountCents: z.number(),
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
