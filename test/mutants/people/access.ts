// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the places are source text
import type { Group } from '../mutant.ts'

/** Who is let in: sessions, the guard, limits, console tickets, the settings of access. */
export const ACCESS: Group[] = [
  {
    file: 'src/server/sessions/sessions.ts',
    tests: [
      'src/server/sessions/sessions.test.ts',
      'test/access-matrix.test.ts',
      'src/server/features/simulation/simulation.test.ts',
      'src/server/features/auth/auth.test.ts',
    ],
    mutants: [
      ['if (!row?.user.isActive) return undefined', 'if (!row) return undefined'],
      ['expiresAt <= now || now.getTime()', 'now.getTime()'],
      ['lastSeenAt.getTime() > lifetimeOf(role).idle', 'lastSeenAt.getTime() > Infinity'],
      ['if (isUse) await touch(row, now)', 'await touch(row, now)'],
      ['} catch (error) {\n      log.warn', '} finally {\n      const error = 0\n      log.warn'],
      ['rows.filter((row) => !isOver(row, role, clock.now()))', 'rows'],
      ['client?.isActive === true &&', 'client !== null &&'],
      ["client.role === 'client' &&", ''],
      ['isStaffRole(user.role) &&', ''],
      ['row.simulationEndsAt > now', 'true'],
      ['tokenHash: hashOfToken(token),\n        userId', 'tokenHash: token,\n        userId'],
      [
        'const actor = await actorOf(answer?.found, look)',
        'const actor = (answer?.found ?? {}) as Actor',
      ],
      ['return answer && actor && {', 'return answer && { actor: actor as Actor,'],
      ['and(mine, ne(sessions.id, except))', 'mine'],
      ['.where(eq(sessions.simulatedUserId, userId))', '.where(eq(sessions.simulatedUserId, -1))'],
      [
        '.delete(sessions).where(eq(sessions.id, sessionId))',
        '.delete(sessions).where(eq(sessions.id, -1))',
      ],
      [
        "role === 'client' ? LIFETIME.client : LIFETIME.admin",
        'role ? LIFETIME.client : LIFETIME.admin',
      ],
      [
        'or(lt(sessions.expiresAt, now), lt(sessions.lastSeenAt, idle))',
        'lt(sessions.expiresAt, now)',
      ],
    ],
  },
  {
    file: 'src/server/http/end-connections.ts',
    tests: ['src/server/http/end-connections.test.ts'],
    mutants: [
      ['server.keepAliveTimeout = KEPT_MS', ''],
      ['socket.bytesRead === 0', 'false'],
      ['server.closeAllConnections()', 'undefined'],
    ],
  },
  {
    file: 'src/server/http/with-session.ts',
    tests: ['src/server/http/with-session.test.ts'],
    mutants: [
      ['call.readAhead ? (call.readAhead.row as Row) : await', 'await'],
      ['params?.success === false ? undefined : withSession', 'withSession'],
    ],
  },
  {
    file: 'src/server/http/server.ts',
    tests: ['src/server/http/with-session.test.ts'],
    mutants: [
      ['if (key !== undefined) {\n', 'if (!cookies.read(request)) {\n'],
      ['if (token === undefined) return {}', ''],
      [
        'if (!finding) return { actor: await sessions.resolve(token, look) }',
        'if (!finding) return {}',
      ],
      ['headers[UNATTENDED] === undefined &&', ''],
      ['return { actor: readAhead?.actor, readAhead }', 'return { readAhead }'],
    ],
  },
  {
    file: 'src/server/http/response-writer.ts',
    tests: ['src/server/http/response-writer.test.ts'],
    mutants: [
      ["`{${parts.join(',')}}`", '`{${parts.reduce((all, part) => `${all},${part}`)}}`'],
      ['Number(!(schema instanceof z.ZodNumberFormat))', '1'],
      ['if (!isPlain(schema)) return undefined', ''],
      ['!mayMiss && !(key in record)', 'false'],
      ['-\\ud7ff\\ue000-\\uffff', '-\\uffff'],
      ['if (!isWrittenOnce(record)) return writeAnew(record)', ''],
    ],
  },
  {
    file: 'src/server/http/guard.ts',
    tests: ['src/server/http/guard.test.ts', 'test/access-matrix.test.ts'],
    mutants: [
      [
        "if (!actor) throw new AppError('UNAUTHENTICATED', 'Please sign in.')",
        'if (!actor) return',
      ],
      ["if (role !== 'client' && !isStaffRole(role)) throw", "if (role === 'nothing') throw"],
      ["if (role === 'client' || hasDuty(role, staff)) return", 'return'],
      ['const role = actor.admin?.role ?? actor.user.role', 'const { role } = actor.user'],
      ["staff = 'own' }", "staff = 'look' }"],
      ["case 'in-person':\n      refuseSimulation(isSimulating)", "case 'in-person':"],
      [
        "if (role !== 'client') throw forbidden('Only clients can do this.')\n      return",
        'return',
      ],
      [
        "if (role !== 'client') throw forbidden('Only clients can do this.')\n      refuseSimulation(isSimulating)",
        'refuseSimulation(isSimulating)',
      ],
      ["if (role === 'client' || isSimulating)", 'if (isSimulating)'],
      ["if (role === 'client' || isSimulating)", "if (role === 'client')"],
      ["if (!isSimulating) throw forbidden('No simulation is running.')", ''],
      ['if (!isSimulating) return\n', 'return\n'],
    ],
  },
  {
    file: 'src/server/limits/network-limit.ts',
    tests: [
      'src/server/limits/network-limit.test.ts',
      'src/server/features/auth/networks.test.ts',
      'src/server/features/auth/brute-force.test.ts',
      'src/server/http/http.test.ts',
    ],
    mutants: [
      ['result.remainingPoints < 0', 'result.remainingPoints < -1'],
      ['points * share', 'points'],
      ['key: keyOf(`${key} ${what}`)', 'key: keyOf(`${key}`)'],
      ['await limiter.reward(key, 1)', 'await limiter.get(key)'],
      ['onionLimiter ? [{ limiter: onionLimiter, key: keyOf(`onion ${what}`) }] : []', '[]'],
      [
        'if (!(error instanceof RateLimiterRes)) throw error\n    return { remainingPoints: -1',
        'return { remainingPoints: 0',
      ],
    ],
  },
  {
    file: 'src/server/limits/password-gate.ts',
    tests: ['src/server/limits/password-gate.test.ts'],
    mutants: [
      ['if (await isRight()) return\n', 'return\n'],
      ['state.remainingPoints <= 0', 'state.remainingPoints < 0'],
      ['await limiter.consume(key).catch', 'await limiter.get(key).catch'],
    ],
  },
  {
    file: 'src/server/features/auth/auth.service.ts',
    tests: [
      'src/server/features/auth/auth.test.ts',
      'src/server/features/auth/device-policy.test.ts',
      'src/server/features/auth/brute-force.test.ts',
      'src/server/features/users/users.test.ts',
    ],
    mutants: [
      ['if (!user || !isRight || !user.isActive)', 'if (!user || !isRight)'],
      ['if (!user || !isRight || !user.isActive)', 'if (!user || !user.isActive)'],
      ['await throttle.enter(visitor, username)', ''],
      ["if (config.devicePolicy !== 'trial') throw deviceTaken(error)", ''],
      [
        'insert({ deviceHash: null, isLookAlike: true })',
        'insert({ deviceHash: null, isLookAlike: false })',
      ],
      ["config.devicePolicy === 'off'", "config.devicePolicy !== 'off'"],
      ['visitor.isOnion ? null : truncateAddress(visitor.address)', 'visitor.address'],
    ],
  },
  {
    file: 'src/server/features/console/console-tickets.ts',
    tests: [
      'src/server/features/console/console.test.ts',
      'src/server/features/console/console-faults.test.ts',
    ],
    mutants: [
      ['eq(consoleTickets.sessionId, actor.sessionId),', ''],
      ['eq(consoleTickets.userId, actor.user.id),', ''],
      ['gt(consoleTickets.expiresAt, clock.now()),', ''],
      ['const LIFETIME_MS = MINUTE_MS', 'const LIFETIME_MS = 60 * MINUTE_MS'],
      ['ticketHash: hash(ticket)', 'ticketHash: ticket'],
    ],
  },
  {
    file: 'src/server/inventory/views/instance-rows.ts',
    tests: [
      'src/server/features/instances/instances.test.ts',
      'src/server/features/instances/power.test.ts',
    ],
    mutants: [
      ['eq(instances.ownerId, actor.user.id),\n    bound', 'undefined,\n    bound'],
      ['and(eq(instances.id, id), visibleTo(actor))', 'eq(instances.id, id)'],
      ['isAdmin(actor) || (ownerId === actor.user.id &&', 'isAdmin(actor) || (true &&'],
      ['isAdmin(actor) || (ownerId', '(ownerId'],
    ],
  },
  {
    file: 'src/server/inventory/views/instance-rows.ts',
    tests: ['src/server/provisioning/backups/restore-into.test.ts'],
    mutants: [['bound ? inArray(instances.id, [...bound]) : undefined', 'undefined']],
  },
  {
    file: 'src/server/inventory/views/instance-rows.ts',
    tests: ['src/server/inventory/views/instance-rows.test.ts'],
    mutants: [['&& reachesServer(actor, id)', '']],
  },
  {
    file: 'src/server/sessions/actor.ts',
    tests: ['src/server/http/guard.test.ts'],
    mutants: [
      [
        'isStaffRole(user.role) && admin === undefined',
        'isStaffRole(user.role) || admin !== undefined',
      ],
      ['isStaffRole(user.role) && admin === undefined', 'admin === undefined'],
    ],
  },
]
