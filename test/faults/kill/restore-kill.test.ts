import { killAtEveryMoment } from './kill-moments.ts'
import { openRestoreWorld } from './restore-world.ts'

killAtEveryMoment({
  name: 'a restore',
  leaves: 'the present disk or that of the backup, and what is sold now',
  open: openRestoreWorld,
  end: 'before',
  most: 250,
  every: 17,
  worlds: 2,
})
