import { parseProperties } from '../formats/property-string.ts'
import type { Bridge, Node, Vm } from '../state/types.ts'

/** The public one carries VLANs, the private one does not. */
const USUAL: readonly Bridge[] = [
  { name: 'vmbr0', ports: 'eno1', isVlanAware: true },
  { name: 'vmbr1', ports: 'eno2', isVlanAware: false },
]

export const bridgesOf = (node: Node): readonly Bridge[] => node.bridges ?? USUAL

/**
 * Why a card cannot be plugged in, in the words of QEMU's network script (PVE::Network, tap_plug).
 */
function plugFailure(node: Node, card: string): string | undefined {
  const parts = parseProperties(card)
  const name = parts.get('bridge')
  if (name === undefined) return undefined
  const bridge = bridgesOf(node).find((one) => one.name === name)
  if (!bridge) return `bridge '${name}' does not exist`
  // A VLAN on a plain bridge is a separate bridge over the same ports: without a port there is no
  // VLAN.
  const isOpen = bridge.isVlanAware || !parts.has('tag') || bridge.ports !== ''
  return isOpen ? undefined : `no physical interface on bridge '${name}'`
}

/** The error of this VM's cards when it starts on this node; undefined if all can be plugged in. */
export function cardFailure(node: Node, { config }: Pick<Vm, 'config'>): string | undefined {
  const cards = Object.keys(config).filter((key) => /^net\d+$/.test(key))
  return cards.map((key) => plugFailure(node, config[key] ?? '')).find(Boolean)
}
