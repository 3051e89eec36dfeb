import type { Group } from '../mutant.ts'

const DELIVERY = 'src/server/webhooks/delivery.test.ts'
const COLLECT = 'src/server/webhooks/collect-events.test.ts'
const FEATURE = 'src/server/features/webhooks/webhooks.test.ts'
const RULES = 'src/shared/rules/people/webhooks.test.ts'

/** Who is told what, once and signed, and where calls may go. */
export const WEBHOOKS: Group[] = [
  {
    file: 'src/server/webhooks/collect-events.ts',
    tests: [COLLECT],
    mutants: [
      ['(isStaff || about.ownerId === userId)', 'true'],
      ['eventsFor(isStaff).includes(event) && ', ''],
      [' || entry.id <= sinceId', ''],
      ['and(eq(webhooks.isOn, true), eq(users.isActive, true))', 'eq(webhooks.isOn, true)'],
      ['!events.includes(event) || ', ''],
    ],
  },
  {
    file: 'src/server/webhooks/owners-of-entries.ts',
    tests: [COLLECT],
    mutants: [
      ['isSince ? holder : undefined', 'holder'],
      ['if (entry.subjectSeal !== null) return entry.subjectId', ''],
    ],
  },
  {
    file: 'src/server/webhooks/ending-soon.ts',
    tests: [COLLECT],
    mutants: [
      ['eq(tokens.assignedUserId, webhooks.userId)', 'isNotNull(tokens.assignedUserId)'],
      ['lte(tokens.expiresAt, new Date(now.getTime() + SOON_MS))', 'gt(tokens.expiresAt, now)'],
    ],
  },
  {
    file: 'src/server/webhooks/deliver-webhooks.ts',
    tests: [DELIVERY],
    mutants: [
      [
        'and(eq(webhooks.id, webhook.id), eq(webhooks.busyUntil',
        'and(eq(webhooks.id, webhook.id), lte(webhooks.createdAt',
      ],
      ['            isFree(now),\n', ''],
      ['            or(isNull(webhooks.pausedUntil), lte(webhooks.pausedUntil, now)),\n', ''],
      ['            eq(webhooks.isOn, true),\n', ''],
      ['const LANES = 8', 'const LANES = 1'],
      ['await switchOff(tx, webhook.id, reason)', ''],
      [
        'isTaken ? null : (webhook.failingSince ?? now)',
        'isTaken ? webhook.failingSince : (webhook.failingSince ?? now)',
      ],
    ],
  },
  {
    file: 'src/server/webhooks/call-webhook.ts',
    tests: [DELIVERY],
    mutants: [
      ['status >= 200 && status < 300', 'status < 400'],
      ['        isCut: true,\n', ''],
      ['answer: printable(text)', 'answer: text'],
    ],
  },
  {
    file: 'src/server/webhooks/webhook-store.ts',
    tests: [DELIVERY],
    mutants: [
      ['content.old && until ?', 'content.old ?'],
      [
        'return [content.secret, ...(content.old && until ? [content.old.secret] : [])]',
        'return [content.secret]',
      ],
    ],
  },
  {
    file: 'src/server/webhooks/webhook-reach.ts',
    tests: [FEATURE],
    mutants: [
      ['ofClusters.has(address) || ', ''],
      ['(!isInsideAllowed && !isPublic(address))', 'false'],
      ['if (refusal !== undefined) return refusal', ''],
    ],
  },
  {
    file: 'src/server/lib/net/public-address.ts',
    tests: [FEATURE],
    mutants: [
      ['  !isInside(address) &&\n', ''],
      [" &&\n  !reserved.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')", ''],
    ],
  },
  {
    file: 'src/server/lib/net/standard-webhook.ts',
    tests: [DELIVERY],
    mutants: [
      ['.update(`', '.update(`.'],
      ['getTime() / 1000', 'getTime()'],
    ],
  },
  {
    file: 'src/server/features/webhooks/webhooks.service.ts',
    tests: [FEATURE, DELIVERY],
    mutants: [
      ['and(eq(webhooks.id, id), eq(webhooks.userId, user.id))', 'eq(webhooks.id, id)'],
      [
        'and(eq(webhookDeliveries.id, deliveryId), eq(webhookDeliveries.webhookId, id))',
        'eq(webhookDeliveries.id, deliveryId)',
      ],
      ['if (strange === undefined) return', 'return'],
      [
        "  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update')\n",
        '',
      ],
      ['            ...(isNewlyOn && fresh),\n', ''],
      ['if (!isOn) throw', 'if (false) throw'],
    ],
  },
  {
    file: 'src/server/api-keys/end-keys.ts',
    tests: [FEATURE],
    mutants: [['  await tx.delete(webhooks).where(eq(webhooks.userId, userId))\n', '']],
  },
  {
    file: 'src/shared/rules/people/webhook-tries.ts',
    tests: [RULES],
    mutants: [
      ["if (status === 410) return 'gone'", ''],
      ['>= FAILING_MS', '> 2 * FAILING_MS'],
      ["port !== '' && !isInsideAllowed", 'false'],
      ["if (username !== '' || password !== '')", "if (username !== '')"],
    ],
  },
]
