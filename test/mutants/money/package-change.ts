import type { Group } from '../mutant.ts'

const RULE = 'src/shared/rules/instance/package-change.test.ts'
const CHANGE = 'src/server/provisioning/package-change/package-change.test.ts'
const UNDONE = 'src/server/provisioning/package-change/change-undone.test.ts'
const NEXT = 'src/server/provisioning/package-change/next-package.test.ts'
const SERVICE = 'src/server/features/servers/package/package-change.test.ts'

/** Another package for a server: its price, its size and its moment agree. */
export const PACKAGE_CHANGE: Group[] = [
  {
    file: 'src/shared/rules/instance/package-change.ts',
    tests: [RULE],
    mutants: [
      ['Math.max(0, paidUntil.getTime() - now.getTime())', 'paidUntil.getTime() - now.getTime()'],
      ['const more = Math.max(0, to - from)', 'const more = to - from'],
      ['Math.floor((more * left)', 'Math.ceil((more * left)'],
      [' || to.priceCents < from.priceCents', ''],
      ['const isSmaller = to.size.cpu < from.size.cpu || ', 'const isSmaller = '],
      ['if (target.size.diskGb < server.size.diskGb) {', 'if (false) {'],
      ['if (target.isTrial)', 'if (false)'],
      ['if (planned !== null) {', 'if (false) {'],
    ],
  },
  {
    file: 'src/server/provisioning/package-change/change-steps.ts',
    tests: [CHANGE, UNDONE],
    mutants: [
      ["order.status !== 'provisioning' || order.jobId !== jobId", 'true'],
      ['  input.restart && (output', '  (output'],
      ['      await hypervisor.setConfig(vm, { cores, memory, balloon })\n', ''],
      ['await hypervisor.resize(vm, sizeFromName(input.serverName).diskGb)', 'void vm'],
      ["await moveOrder(tx, order, { to: 'active', now, ofJob: jobId, values })", ''],
      ["{ to: 'active', now, ofJob: jobId, values }", "{ to: 'active', now, values }"],
      ['      if (mustBeOff(target)) await switchOff(target)\n      else if', '      if'],
    ],
  },
  {
    file: 'src/server/provisioning/package-change/change-steps.ts',
    tests: [NEXT],
    mutants: [
      ['      await tx.delete(nextPackages).where(eq(nextPackages.tokenId, token.id))\n', ''],
    ],
  },
  {
    file: 'src/server/provisioning/package-change/next-package.ts',
    tests: [NEXT],
    mutants: [
      [
        'set({ monthlyPriceCents: plan.priceCents, billingPlanId: null })',
        'set({ billingPlanId: null })',
      ],
      [
        'and(eq(nextPackages.tokenId, tokenId), isNull(nextPackages.dueAt))',
        'eq(nextPackages.tokenId, tokenId)',
      ],
      ['expiresAt !== null && expiresAt > now ? expiresAt : now', 'now'],
      ['set({ monthlyPriceCents: row.formerCents })', 'set({ billingPlanId: null })'],
    ],
  },
  {
    file: 'src/server/provisioning/package-change/next-package-sweep.ts',
    tests: [NEXT],
    mutants: [
      ["|| token.status !== 'assigned'", ''],
      ['isHeld(instance, now) || ', ''],
      ['        isNull(nextPackages.triedAt),\n', ''],
      [
        'await tx.update(nextPackages).set({ triedAt: now })',
        'await tx.update(nextPackages).set({ triedAt: null })',
      ],
    ],
  },
  {
    file: 'src/server/tokens/renewal-term.ts',
    tests: [CHANGE],
    mutants: [['if (await isChanging(tx, token.id))', 'if (false)']],
  },
  {
    file: 'src/server/features/servers/package/package-change.service.ts',
    tests: [SERVICE],
    mutants: [
      ['if (terms.refusal !== undefined)', 'if (false)'],
      ['if (refusal !== undefined)', 'if (false)'],
      ['if (why !== null)', 'if (false)'],
      ['.filter(({ nodeId }) => nodeId === row.nodeId)', '.filter(() => true)'],
    ],
  },
  {
    file: 'src/server/orders/package-of-server.ts',
    tests: [SERVICE],
    mutants: [["or(ne(orders.kind, 'change'), eq(orders.status, 'active')),", '']],
  },
  {
    file: 'src/server/features/orders/cancel-order.ts',
    tests: [SERVICE],
    mutants: [["if (order.kind === 'change')", 'if (false)']],
  },
  {
    file: 'src/server/provisioning/lifecycle/end-server.ts',
    tests: [SERVICE],
    mutants: [
      ["if (kind === 'change') return nextBillingAt !== null && nextBillingAt > now\n", ''],
    ],
  },
  {
    file: 'src/server/provisioning/handover/take-over.ts',
    tests: [SERVICE],
    mutants: [['    await dropNext(tx, token.id)\n', '']],
  },
]
