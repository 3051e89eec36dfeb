import { AppError } from '#shared/errors.ts'
import type { ProofKind } from '#shared/rules/instance/proof-of-life.ts'
import { isWindows } from '#shared/rules/instance/system-of-template.ts'
import type { Hypervisor, VmAddress } from '../../hypervisor/port/hypervisor.ts'
import type { PictureFacts } from '../../rfb/picture-facts.ts'
import type { JobDeps } from '../../runtime/deps.ts'
import { watchPicture } from './watch-picture.ts'
import { watchRdp } from './watch-rdp.ts'
import { patienceFor, watchSsh } from './watch-ssh.ts'

/** A guest that has just started. */
export type Guest = {
  hypervisor: Hypervisor
  vm: VmAddress
  /** Where it must answer; without one only the cluster can tell. */
  address: string | undefined
  osType: string
}

export type Proof = {
  by: ProofKind
  /** The fingerprint that it showed, if it answered by SSH. */
  hostKey?: string
}

type Look = {
  (): Promise<Proof[]>
  /**
   * Whether the network was asked for real, and for as long as one answer may take, and the picture
   * does not wait for its second look.
   */
  hasAsked(): boolean
}

type Answer = () => Proof | undefined | Promise<Proof | undefined>

/**
 * Whether a system answers: by SSH at its address, or by its guest agent. Windows need have neither:
 * it may answer by Remote Desktop or, last, show its picture. The network comes first, because a
 * cluster that is away must not silence a guest that answers.
 */
export function proofOfLife(
  deps: Pick<JobDeps, 'clock' | 'log'>,
  guest: Guest,
  /** What its firmware showed. Only of Windows: no other picture is judged. */
  firmware: PictureFacts | null,
): Look {
  const network = overNetwork(guest)
  const picture = firmware === null ? undefined : pictureOf(deps, guest, firmware)
  const answers = [...network.answers, byAgent(guest)]
  if (picture) answers.push(provenIf('picture', picture))
  const now = () => deps.clock.now().getTime()
  let since: number | undefined
  const look = async () => {
    since ??= now()
    for (const answer of answers) {
      const proof = await answer()
      if (proof) return [proof]
    }
    return []
  }
  const hasAsked = () =>
    network.hasAsked() &&
    since !== undefined &&
    now() - since >= network.patienceMs &&
    !picture?.isSeenOnce()
  return Object.assign(look, { hasAsked })
}

function overNetwork({ address, osType }: Guest) {
  if (address === undefined) return { answers: [], patienceMs: 0, hasAsked: () => true }
  const keysSeen = watchSsh(address)
  const ssh = () => {
    const [key] = keysSeen() ?? []
    return key && { by: 'ssh' as const, hostKey: key.fingerprint }
  }
  const patienceMs = patienceFor(address)
  if (!isWindows(osType)) return { answers: [ssh], patienceMs, hasAsked: keysSeen.hasAsked }
  const isDesktop = watchRdp(address)
  return {
    answers: [ssh, provenIf('rdp', isDesktop)],
    patienceMs,
    hasAsked: () => keysSeen.hasAsked() && isDesktop.hasAsked(),
  }
}

const provenIf =
  (by: ProofKind, isThere: () => boolean | Promise<boolean>): Answer =>
  async () =>
    (await isThere()) ? { by } : undefined

function byAgent({ hypervisor, vm }: Guest): Answer {
  let mayAsk = true
  return provenIf('agent', async () => {
    if (!mayAsk) return false
    try {
      return (await hypervisor.guestAddresses(vm, { asksAgain: true })).length > 0
    } catch (error) {
      // The account may not ask the agent.
      if (!(error instanceof AppError) || error.code !== 'INVALID_STATE') throw error
      mayAsk = false
      return false
    }
  })
}

const pictureOf = (
  { clock, log }: Pick<JobDeps, 'clock' | 'log'>,
  { hypervisor, vm }: Guest,
  firmware: PictureFacts,
) => watchPicture({ look: () => hypervisor.lookAtScreen(vm), firmware, clock, log })
