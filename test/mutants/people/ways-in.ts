import type { Group } from '../mutant.ts'

const OF_FACTOR = ['src/server/features/second-factor/second-factor.test.ts']
const OF_OPERATORS = ['src/server/features/second-factor/operators.test.ts']
const OF_GUESSING = ['src/server/features/second-factor/guessing.test.ts']
const OF_PASSKEYS = ['src/server/features/passkeys/passkeys.test.ts']
const OF_FORGED = ['src/server/features/passkeys/forged.test.ts']
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
    file: 'src/server/second-factor/challenges.ts',
    tests: OF_FORGED,
    mutants: [
      ['            gt(passkeyChallenges.expiresAt, clock.now()),\n', ''],
      ['            eq(passkeyChallenges.use, use),\n', ''],
      ['            eq(passkeyChallenges.userId, userId),\n', ''],
      ['eq(passkeyChallenges.sessionId, sessionId)', 'undefined'],
      ['return taken.length > 0', 'return true'],
    ],
  },
  {
    file: 'src/server/second-factor/passkeys.ts',
    tests: [...OF_FORGED, ...OF_PASSKEYS],
    mutants: [
      ['or(lt(passkeys.counter, counter), doesNotCount)', 'undefined'],
      ['if (!(await countUp(tx, row.id, counter))) throw refused(WRONG_PASSKEY)', ''],
      [', eq(passkeys.userId, asked.userId))', ')'],
      [
        '.where(and(eq(passkeys.userId, userId), eq(passkeys.address, party.id)))',
        '.where(eq(passkeys.userId, userId))',
      ],
      ['      await requireApp(tx, userId)\n', ''],
      [', isNotNull(secondFactors.confirmedAt))', ')'],
    ],
  },
  {
    file: 'src/server/second-factor/webauthn.ts',
    tests: [...OF_FORGED, 'src/server/second-factor/webauthn.test.ts'],
    mutants: [
      [
        '  expectedOrigin: party.origin,\n',
        "  expectedOrigin: [party.origin, 'https://evil.test'],\n",
      ],
      ['  expectedRPID: party.id,\n', "  expectedRPID: [party.id, 'evil.test'],\n"],
      ["format === 'none' || format === 'packed'", 'true'],
      [" && attestation.get('attStmt').get('x5c') === undefined", ''],
      [
        "    if (!verified) throw new Error('the signature is not valid')\n    return authenticationInfo",
        '    return authenticationInfo',
      ],
    ],
  },
  {
    file: 'src/server/second-factor/relying-party.ts',
    tests: ['src/server/second-factor/relying-party.test.ts'],
    mutants: [
      ["protocol !== 'https:' && hostname !== 'localhost'", 'false'],
      ["IPV4.test(hostname) || hostname.startsWith('[')", 'false'],
    ],
  },
  {
    file: 'src/server/features/passkeys/passkeys.service.ts',
    tests: OF_PASSKEYS,
    mutants: [
      ['      await requireOwner(actor, password)\n', ''],
      ['      await requireApp(db, actor.user.id)\n', ''],
      ['and(eq(table.id, id), eq(table.userId, userId))', 'eq(table.id, id)'],
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
