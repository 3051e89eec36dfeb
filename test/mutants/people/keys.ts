import type { Group } from '../mutant.ts'

const KEYS = 'src/server/features/api-keys/api-keys.test.ts'
const LIMIT = 'src/server/features/api-keys/key-limit.test.ts'
const SPENDING = 'src/server/api-keys/spend-by-key.test.ts'
const ROLES = 'src/server/features/users/roles.test.ts'
const TOOLS = 'src/server/features/tools/tools.test.ts'
const MATRIX = 'test/access-matrix.test.ts'

/** What a key reaches, and what it may spend; who gives which role. */
export const KEYS_AND_ROLES: Group[] = [
  {
    file: 'src/server/api-keys/api-keys.ts',
    tests: [KEYS, MATRIX],
    mutants: [
      [
        "if (isOver || !user.isActive || user.role !== 'client')",
        "if (!user.isActive || user.role !== 'client')",
      ],
      [
        "if (isOver || !user.isActive || user.role !== 'client')",
        "if (isOver || user.role !== 'client')",
      ],
      ["if (isOver || !user.isActive || user.role !== 'client')", 'if (isOver || !user.isActive)'],
      ['cidrs.length === 0 || cidrs.some((cidr) => isIn(cidr, address))', 'true'],
      ['keyHash: await hashOf(key)', 'keyHash: key'],
    ],
  },
  {
    file: 'src/server/http/guard.ts',
    tests: [KEYS, MATRIX],
    mutants: [
      ['if (scope === undefined) {', 'if (false) {'],
      ["if (scope !== 'any' && !scopes.includes(scope)) {", 'if (false) {'],
      [
        "if (!OF_ONE_SERVER.test(path)) throw forbidden('This API key is for certain servers only.')",
        '',
      ],
      ["if (!instanceIds.includes(Number(id))) throw notFound('Instance')", ''],
    ],
  },
  {
    file: 'src/server/api-keys/spend-by-key.ts',
    tests: [SPENDING, LIMIT],
    mutants: [
      ["    .for('update')\n", ''],
      ['if (spent <= row.limit) return', 'if (spent - cents <= row.limit) return'],
      ['eq(keySpendings.day, day)', 'eq(keySpendings.day, day.slice(1))'],
    ],
  },
  {
    file: 'src/shared/rules/people/roles.ts',
    tests: [ROLES, MATRIX],
    mutants: [
      ['dutiesOf(other).every((duty) => hasDuty(own, duty))', 'true'],
      ["support: ['look', 'help'],", "support: ['look', 'help', 'run'],"],
      ["viewer: ['look'],", "viewer: ['look', 'help'],"],
      ["billing: ['look', 'money'],", "billing: ['look'],"],
    ],
  },
  {
    file: 'src/server/features/tools/tools.routes.ts',
    tests: [TOOLS],
    mutants: [
      ["if (route.method !== 'GET' && !allowsChanges) return false", ''],
      ['const secret = bearerOf(request)', "const secret = bearerOf(request) ?? ''"],
      ["remoteAddress: socket.remoteAddress ?? '',", ''],
    ],
  },
  {
    file: 'src/server/mcp/call-tool.ts',
    tests: [TOOLS],
    mutants: [
      ['if (!tool.asks) return answer', 'if (true) return answer'],
      ['(found.what === undefined || agreed.isOf(found.what))', 'true'],
      ['(found.what === undefined || agreed.isOf(found.what))', 'agreed.isOf(found.what ?? {})'],
      ['const once = tool.route.idempotent &&', 'const once = false &&'],
      ['encodeURIComponent(String(input[name]))', 'String(input[name])'],
    ],
  },
  {
    file: 'src/server/mcp/confirmation.ts',
    tests: [TOOLS],
    mutants: [
      ['if (!timingSafeEqual(Buffer.from(sent), Buffer.from(wanted))) return undefined', ''],
      ['what.subject === subject && markOf(what.shown) === mark', 'true'],
      ['[tool, input, ...rest]', '[tool, ...rest]'],
      ['[tool, input, ...rest]', '[input, ...rest]'],
      ["createHmac('sha256', secret)", "createHmac('sha256', 'x')"],
    ],
  },
]
