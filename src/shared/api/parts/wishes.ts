import { z } from 'zod'
import { HOSTNAME, isHostname } from '../../rules/network/hostname.ts'
import { USER_DATA_BYTES, userDataProblem } from '../../rules/user-data/user-data.ts'
import { Id, required } from './fields.ts'

export const Label = required('Please name the server', 60)

export const Hostname = z.string().trim().toLowerCase().refine(isHostname, HOSTNAME)

/** Keys beyond this many would not fit into the configuration of a VM. */
const KEYS_PER_SERVER = 20

const UserData = z
  .string()
  .max(USER_DATA_BYTES, { error: 'At most 32 KiB. Let it download the rest.', abort: true })
  .superRefine((text, context) => {
    const message = userDataProblem(text)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })

/** Whether user data can be given, and if not why. */
export const UserDataOffer = z.object({ refusal: z.string().nullable() })

/** What a client chooses for a new server besides the plan. With keys it gets no password. */
export const Wishes = z.object({
  label: Label.optional(),
  hostname: Hostname.optional(),
  /** Keys of the caller's ring. */
  sshKeyIds: z
    .array(Id)
    .max(KEYS_PER_SERVER, `A server takes at most ${KEYS_PER_SERVER} keys`)
    .optional(),
  /** A script, or cloud-config, for its first start. */
  userData: UserData.optional(),
})
export type Wishes = z.output<typeof Wishes>
