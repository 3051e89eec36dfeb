import { expect, test } from 'vitest'
import { measureBundle } from '../bench/pages/bundle.ts'

// Uses the build that `npm test` made before: the figures of `npm run bench -- bundle`, as limits.
test.each(await measureBundle())('$what stays within $limit', (figure) => {
  expect(figure).toMatchObject({ isWithin: true })
})
