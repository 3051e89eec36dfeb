import { killAtEveryMoment } from './kill-moments.ts'
import { openRollbackWorld } from './rollback-world.ts'

killAtEveryMoment({
  name: 'a rollback',
  leaves: 'the present or the former disk, and what is sold now',
  open: openRollbackWorld,
  end: 'before',
  most: 250,
  every: 17,
  worlds: 2,
})
