import type { VmRef } from '#proxmox/calls/vm-answers.ts'
import type { ProxmoxClient } from '#proxmox/client.ts'
import { AppError } from '#shared/errors.ts'
import { createQueue } from '../../lib/async/semaphore.ts'
import type { PictureFacts } from '../../rfb/picture-facts.ts'
import { readPicture } from '../../rfb/read-picture.ts'
import { signInToScreen } from '../../rfb/rfb-handshake.ts'
import type { VmAddress } from '../port/hypervisor.ts'
import type { VmAccess } from '../vm/vm-access.ts'

/** For all of one look: the ticket, the connection and the picture. */
const LOOK_MS = 15_000

/** Connections to one cluster at a time; each is closed after its one picture. */
const AT_ONCE = 4

/** Looks at screens as one more viewer, which the others do not notice. */
export function screenLooks(
  client: Pick<ProxmoxClient, 'vnc'>,
  access: VmAccess,
  { lookMs = LOOK_MS }: { lookMs?: number | undefined } = {},
) {
  const inTurn = createQueue(AT_ONCE)

  const look = async (place: VmRef): Promise<PictureFacts> => {
    const signal = AbortSignal.timeout(lookMs)
    const { stream, password } = await client.vnc.open(place, { signal })
    // A failure is also thrown where it is waited for.
    stream.on('error', () => undefined)
    const tooLate = () => stream.destroy()
    signal.addEventListener('abort', tooLate)
    try {
      await signInToScreen(stream, password)
      return await readPicture(stream)
    } catch (error) {
      throw new AppError('UNAVAILABLE', 'The screen of the VM cannot be read.', { cause: error })
    } finally {
      signal.removeEventListener('abort', tooLate)
      stream.destroy()
    }
  }

  return {
    lookAtScreen: (vm: VmAddress): Promise<PictureFacts> => inTurn(() => access.own(vm, look)),
  }
}
