import { expect, test } from 'vitest'
import { seedImage } from './seed-image.ts'

// Names that were stored before they were refused.
test.each(['no', 'on', '2026-01-01'])('the hostname %s stays a text for cloud-init', (name) => {
  const own = { meta: 'instance-id: one\n', network: '' }
  const image = seedImage(own, {
    setup: { name, marker: 'hushbox:order-7' },
    userData: '#!/bin/sh\n',
  })
  const text = Buffer.from(image).toString('latin1')
  expect(text).toContain(`local-hostname: "${name}"`)
  expect(text).toContain(`\nhostname: "${name}"`)
})
