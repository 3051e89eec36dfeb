import type { GuestImage } from './guest-image.ts'
import { findImage, missingBuilder } from './guest-image.ts'
import { canForward } from './guest-network.ts'
import { findAccelerator } from './kvm.ts'
import type { LinuxSupport } from './linux-guests.ts'

/** What real guests need, or a sentence about why there are none. */
export type LinuxFound = { support: LinuxSupport } | { reason: string }

/** Builds while the cluster is up already: the first real guest waits for it. */
async function build(): Promise<GuestImage> {
  const { buildImage } = await import('./build-image.ts')
  return await buildImage()
}

/** Whether this machine can run real Linux guests, and how. */
export async function findSupport(program: string, most: number): Promise<LinuxFound> {
  if (!(await canForward())) {
    return { reason: 'port 2222 or 8080 of 127.77.0.1 cannot be used here to forward to them' }
  }
  const found = findImage()
  const missing = found ? undefined : missingBuilder()
  if (missing) {
    return { reason: `their image is made of Debian's packages, and ${missing} is not installed` }
  }
  const image = found ? Promise.resolve(found) : build()
  const accelerator = image.then(
    ({ kernel }) => findAccelerator(program, kernel),
    () => 'tcg' as const,
  )
  // The program that starts the simulator waits for the image and tells why it failed. Without this
  // line a failure before that would end the process.
  image.catch(() => undefined)
  return { support: { most, accelerator, isBuilt: found !== undefined, image } }
}
