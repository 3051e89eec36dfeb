import type { Group } from '../mutant.ts'

const SILENCE_TEST = 'src/server/provisioning/provision/silence.test.ts'

/** A server is paid when it answers, and the money of a silent one comes back. */
export const ANSWERS: Group[] = [
  {
    file: 'src/server/provisioning/provision/silence.ts',
    tests: [SILENCE_TEST],
    mutants: [
      ['if (isDoubtful) return []', ''],
      ['if (!isStillDue) return', ''],
      [', lte(orders.answerByMs, ms)', ''],
      ['.set({ answerByMs: null })', '.set({ failure: null })'],
      ['+ ANSWERS_MS', '+ ANSWERS_MS / 2'],
    ],
  },
  {
    file: 'src/server/provisioning/provision/proof-step.ts',
    tests: [SILENCE_TEST],
    mutants: [['await expectAnswer(deps, order)', '']],
  },
  {
    file: 'src/server/provisioning/provision/claim-step.ts',
    tests: [SILENCE_TEST],
    mutants: [
      ["if (order.status === 'cancelled' && (await isOrderedAgain(tx, input))) return", ''],
    ],
  },
  {
    file: 'src/server/orders/orders.ts',
    tests: [SILENCE_TEST],
    mutants: [['{ beganAt: now, answerByMs: null }', '{ beganAt: now }']],
  },
  {
    file: 'src/server/features/orders/delivery-figures.ts',
    tests: ['src/server/features/orders/delivery-figures.test.ts'],
    mutants: [
      ['const PERIOD_MS = 30 * DAY_MS', 'const PERIOD_MS = 60 * DAY_MS'],
      ['delivered === 0 ? null : medianSeconds', 'medianSeconds'],
    ],
  },
]
