import { killAtEveryMoment } from './kill-moments.ts'
import { openRestoreIntoWorld } from './restore-world.ts'

killAtEveryMoment({
  name: 'a restore to another server',
  leaves: 'that server with its own disk or that of the backup, and every other one as it was',
  open: openRestoreIntoWorld,
  end: 'before',
  most: 250,
  every: 17,
  worlds: 2,
})
