import { z } from 'zod'
import {
  ACTIONS,
  type ClientRule,
  DIRECTIONS,
  INCOMING,
  incomingOf,
  LONGEST_COMMENT,
  MOST_RULES,
  PROTOCOLS,
  placeAsStored,
  portsAsStored,
  portsRefusal,
  ruleFault,
} from '../../rules/network/firewall-rules.ts'
import { idParams, Timestamp } from '../parts/fields.ts'
import { route } from '../parts/route.ts'

const PLACE =
  'Give an address or a network: 203.0.113.7, 203.0.113.0/24, 2001:db8::7 or 2001:db8::/48.'

/** "" means "not given", as a form sends it. */
const given = <S extends z.ZodType<string, string>>(schema: S) =>
  z
    .string()
    .trim()
    .transform((text, context) => {
      if (text === '') return undefined
      const parsed = schema.safeParse(text)
      if (parsed.success) return parsed.data
      for (const { message } of parsed.error.issues) context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .optional()

const Ports = z
  .string()
  .transform(portsAsStored)
  .superRefine((ports, context) => {
    const why = portsRefusal(ports)
    if (why !== undefined) context.addIssue({ code: 'custom', message: why })
  })
  .pipe(z.string())

const Place = z
  .string()
  .transform((text, context) => {
    const place = placeAsStored(text)
    if (place !== undefined) return place
    context.addIssue({ code: 'custom', message: PLACE })
    return z.NEVER
  })
  .pipe(z.string())

const Comment = z
  .string()
  .max(LONGEST_COMMENT, `A comment has at most ${LONGEST_COMMENT} characters.`)
  .regex(/^[^\p{C}]*$/u, 'A comment is one line of plain text.')

/** The words of Proxmox, in any case. */
const anyCase = <Word extends string>(words: readonly Word[], sentence: string) =>
  z
    .string({ error: sentence })
    .trim()
    .toUpperCase()
    .pipe(z.enum(words as [Word, ...Word[]], { error: sentence }))

/** A rule as it is sent. */
export const RuleBody = z
  .object({
    direction: z.enum(DIRECTIONS, { error: 'The direction of a rule is in or out.' }),
    action: anyCase(ACTIONS, 'The action of a rule is ACCEPT, DROP or REJECT.'),
    /** Absent: every protocol. */
    protocol: z
      .enum(PROTOCOLS, { error: `The protocol of a rule is one of ${PROTOCOLS.join(', ')}.` })
      .optional(),
    /** Absent: every port. `443`, `8000-8100`, or several of both with commas. */
    ports: given(Ports),
    /** Of an incoming rule: an address or a network. Absent: from anywhere. */
    source: given(Place),
    /** Of an outgoing rule: an address or a network. Absent: to anywhere. */
    destination: given(Place),
    comment: given(Comment),
  })
  .superRefine((rule, context) => {
    const fault = ruleFault(rule)
    if (fault) context.addIssue({ code: 'custom', path: [fault.field], message: fault.message })
  })

const INCOMING_SENTENCE = 'Say ACCEPT or DROP for what comes in and is named by no rule.'

export const FirewallBody = z
  .object({
    rules: z
      .array(RuleBody, { error: 'Give the rules as a list; an empty one removes them.' })
      .max(MOST_RULES, `A server has at most ${MOST_RULES} rules.`),
    /** Absent: DROP if a rule accepts something that comes in, else ACCEPT. */
    incoming: anyCase(INCOMING, INCOMING_SENTENCE).optional(),
  })
  .transform(({ rules, incoming }) => ({ rules, incoming: incoming ?? incomingOf(rules) }))

const Rule: z.ZodType<ClientRule> = z.object({
  direction: z.enum(DIRECTIONS),
  action: z.enum(ACTIONS),
  protocol: z.enum(PROTOCOLS).optional(),
  ports: z.string().optional(),
  source: z.string().optional(),
  destination: z.string().optional(),
  comment: z.string().optional(),
})

/** In their order: the first rule that names a packet decides. */
const Rules = { rules: z.array(Rule), incoming: z.enum(INCOMING) }

const Firewall = z.object({
  ...Rules,
  /** Unless they are confirmed by then, the rules `before` come back. Null: they are confirmed. */
  revertAt: Timestamp.nullable(),
  before: z.object(Rules).nullable(),
  /** The rules that were tried last, if nobody confirmed them in time. */
  reverted: z.object({ ...Rules, at: Timestamp }).nullable(),
  /** False while the cluster does not have them yet: it is asked again until it has. */
  isApplied: z.boolean(),
  /** Why they cannot be changed now; null where they can. */
  refusal: z.string().nullable(),
})
export type Firewall = z.output<typeof Firewall>

export const firewall = {
  get: route({
    method: 'GET',
    path: '/api/instances/:id/firewall',
    access: 'signed-in',
    staff: 'look',
    scope: 'servers:read',
    summary: 'The rules by which a server is reached and reaches others, in their order',
    params: idParams,
    response: Firewall,
  }),
  set: route({
    method: 'PUT',
    path: '/api/instances/:id/firewall',
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    isHarmless: true,
    summary: 'Try other rules for a minute: unless they are confirmed, the old ones come back',
    params: idParams,
    body: FirewallBody,
    response: z.object({ revertAt: Timestamp }),
  }),
  /** Repeating it changes nothing. */
  confirm: route({
    method: 'POST',
    path: '/api/instances/:id/firewall/confirm',
    access: 'in-person',
    staff: 'run',
    scope: 'servers:rebuild',
    isHarmless: true,
    summary: 'Keep the rules that are being tried',
    params: idParams,
    response: Firewall,
  }),
}
