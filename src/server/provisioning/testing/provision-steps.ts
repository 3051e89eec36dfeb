/** The steps of a sale, in their order. */
export const PROVISION_STEPS = [
  'claim',
  'vm-id',
  'clone',
  'configure',
  'resize',
  'firewall',
  'rate',
  'plan-seed',
  'seed',
  'start',
  'firmware',
  'wait',
  'proof',
  'unseed',
  'assign',
]
