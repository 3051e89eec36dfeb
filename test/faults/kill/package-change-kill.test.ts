import { killAtEveryMoment } from './kill-moments.ts'
import { openPackageChangeWorld } from './package-change-world.ts'

killAtEveryMoment({
  name: 'a change of the package',
  leaves: 'size, price and money of before, or all of after',
  open: openPackageChangeWorld,
  end: 'after',
  most: 150,
  every: 17,
  worlds: 2,
})
