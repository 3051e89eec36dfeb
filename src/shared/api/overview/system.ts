import { z } from 'zod'
import { route } from '../parts/route.ts'

/** What the page needs before sign-in. */
const PublicSettings = z.object({
  brandName: z.string(),
  isDemo: z.boolean(),
  paymentProvider: z.string(),
  /** Payment methods in a visitor's terms; empty where no money moves. */
  paymentWays: z.array(z.string()),
  /** How long a server that ended is kept. */
  graceDays: z.number(),
  operator: z.object({
    name: z.string().nullable(),
    place: z.string().nullable(),
    contact: z.string().nullable(),
  }),
  /** Corrects the countdowns of a browser whose clock is wrong. */
  serverTime: z.iso.datetime(),
})

/** One stored personal field: its purpose and how long it is kept. Derived from the schema. */
export const PersonalField = z.object({
  subject: z.string(),
  field: z.string(),
  purpose: z.string(),
  retention: z.string(),
})
export type PersonalField = z.output<typeof PersonalField>

export const system = {
  settings: route({
    method: 'GET',
    path: '/api/settings',
    access: 'public',
    summary: 'Name of the house, demo or not, the time of the server',
    response: PublicSettings,
  }),
  openapi: route({
    method: 'GET',
    path: '/api/openapi.json',
    access: 'public',
    summary: 'This document',
    response: z.record(z.string(), z.unknown()),
  }),
  privacy: route({
    method: 'GET',
    path: '/api/privacy',
    access: 'public',
    summary: 'Every personal field we store, why, and for how long',
    response: z.array(PersonalField),
  }),
}
