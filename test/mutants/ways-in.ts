import type { Group } from './mutant.ts'

const OF_FACTOR = ['src/server/features/second-factor/second-factor.test.ts']
const OF_OPERATORS = ['src/server/features/second-factor/operators.test.ts']
const OF_GUESSING = ['src/server/features/second-factor/guessing.test.ts']
const OF_RECOVERY = ['src/server/features/recovery/recovery.test.ts']

/** Ways in: what a code, a proof and twelve words open, and when. */
export const WAYS_IN: Group[] = [
  {
    file: 'src/server/second-factor/second-factors.ts',
    tests: OF_FACTOR,
    mutants: [
      ['          lt(secondFactors.lastStep, step),\n', ''],
      ['          setWhere: isNull(secondFactors.confirmedAt),\n', ''],
      ['if (!(await take(tx))) throw wrongCode()', 'await take(tx)'],
      ['          if (row.confirmedAt !== null) throw alreadyOn()\n', ''],
    ],
  },
  {
    file: 'src/server/second-factor/guess-limit.ts',
    tests: OF_GUESSING,
    mutants: [
      ['quarter.pass(userId, () => day.pass(userId, work))', 'work()'],
      ['const IN_A_QUARTER = 8', 'const IN_A_QUARTER = 39'],
    ],
  },
  {
    file: 'src/server/accounts/require-owner.ts',
    tests: OF_FACTOR,
    mutants: [['age <= FRESH_MS', 'true']],
  },
  {
    file: 'src/shared/api/people/simulation.ts',
    tests: OF_OPERATORS,
    mutants: [['    beforeSecondFactor: true,\n', '']],
  },
  {
    file: 'src/server/http/guard.ts',
    tests: OF_OPERATORS,
    mutants: [
      ['!isOperator(actor) || route.beforeSecondFactor', 'true'],
      ['now.getTime() - at <= PROOF_MS', 'at > 0'],
      ['  if (!route.needsProof) return\n', '  return\n'],
    ],
  },
  {
    file: 'src/server/features/users/users.service.ts',
    tests: OF_OPERATORS,
    mutants: [
      [
        "      if (id === actor.user.id) {\n        throw new AppError('INVALID_STATE', 'Turn your",
        "      if (false) {\n        throw new AppError('INVALID_STATE', 'Turn your",
      ],
    ],
  },
  {
    file: 'src/server/accounts/recoveries.ts',
    tests: OF_RECOVERY,
    mutants: [
      ['      await removeSecondFactor(tx, userId)\n', ''],
      ['      await sessions.endAllOf(tx, userId)\n', ''],
      ['found.recoveryAt > clock.now()', 'false'],
      ['if (isSame && ', 'if (false && '],
      [
        '      await tx.delete(recoveryKits).where(eq(recoveryKits.userId, userId))\n      await sessions',
        '      await sessions',
      ],
    ],
  },
  {
    file: 'src/server/features/recovery/recovery.service.ts',
    tests: OF_RECOVERY,
    mutants: [
      ['wordsHash === null || !isRight', 'wordsHash === null'],
      ["user?.isActive && user.role === 'client'", 'user'],
      ['      refuseCommon(password)\n', ''],
    ],
  },
  {
    file: 'src/server/features/account/account.service.ts',
    tests: OF_RECOVERY,
    mutants: [['        await recoveries.stop(tx, id)\n', '']],
  },
]
