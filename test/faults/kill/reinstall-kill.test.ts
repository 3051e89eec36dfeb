import { killAtEveryMoment } from './kill-moments.ts'
import { openReinstallWorld } from './reinstall-world.ts'

killAtEveryMoment({
  name: 'a reinstallation',
  leaves: 'an old or a new system that runs',
  open: openReinstallWorld,
  end: 'new',
  most: 300,
  every: 29,
  worlds: 3,
})
