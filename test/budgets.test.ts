import { expect, test } from 'vitest'
import { measureBundle } from '../bench/bundle.ts'

// On what `npm test` built before: the figures of `npm run bench -- bundle`, held.
test.each(await measureBundle())('$what stays within $limit', (figure) => {
  expect(figure).toMatchObject({ isWithin: true })
})
