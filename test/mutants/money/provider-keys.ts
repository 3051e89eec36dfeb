import type { Group } from '../mutant.ts'

const KEYS = 'src/server/features/payments/provider-keys.test.ts'
const LIFE = 'src/server/features/payments/provider-keys-life.test.ts'

/** Keys of payment providers that are entered on the page. */
export const PROVIDER_KEYS: Group[] = [
  {
    file: 'src/server/features/payments/provider-keys.service.ts',
    tests: [KEYS, LIFE],
    mutants: [
      ['if (variables.length === 0) return', 'return'],
      ["if (name === 'manual' || config.realMoneyProblems.length === 0) return", 'return'],
      ['if (!(await ways.all(tx)).some(({ isHidden }) => !isHidden)) {', 'if (false) {'],
      ['const message = await tested(name, provider)', "const message = ''"],
      ['await refuseOtherAccount(provider)', ''],
      ['if (config.paymentProviders.includes(name)) {', 'if (false) {'],
      ['await tested(name, provider)\n      }', '}'],
      ["if (isOffered) throw new AppError('INVALID_STATE', 'Turn it off first.')", ''],
      ['if (open.length > 0) {', 'if (false) {'],
      ['if (takesMoneroTwice(wanted)) {', 'if (false) {'],
      ['if (kept !== undefined && isElsewhere) {', 'if (false) {'],
    ],
  },
  {
    file: 'src/server/features/payments/provider-setup.ts',
    tests: [KEYS],
    mutants: [['field.isSecret ? null : (value ?? null)', 'value ?? null']],
  },
  {
    file: 'src/server/payments/ways/provider-choice.ts',
    tests: [KEYS, LIFE],
    mutants: [
      ["name !== 'sandbox' || !hasRealKeys", 'true'],
      ["if (stored && 'unreadable' in stored) return { problem: stored.unreadable }", ''],
      ['problems[name] === undefined &&', ''],
    ],
  },
  {
    file: 'src/server/payments/ways/provider-rows.ts',
    tests: [LIFE],
    mutants: [['if (!(error instanceof UnsealError)) throw error', 'throw error']],
  },
  {
    file: 'src/server/payments/ways/providers.ts',
    tests: [KEYS, LIFE],
    mutants: [
      ['if (last?.of !== of)', 'if (last === undefined)'],
      ['...closedOnes(choice),', ''],
    ],
  },
  {
    file: 'src/server/payments/providers/stripe-client.ts',
    tests: [KEYS],
    mutants: [['apiUrl === undefined ? fetch : guardedFetch', 'fetch']],
  },
]
