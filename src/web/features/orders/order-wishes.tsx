import type { OrderWishes } from '#shared/api/shop/orders.ts'
import { notAppliedByHand } from '#shared/rules/token/given-by-hand.ts'
import { formatBytes } from '../../lib/format/bytes.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Copy } from '../../widgets/facts/copy.tsx'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'
import { InstalledKeys } from '../../widgets/instance/installed-keys.tsx'

type WishesProps = { wishes: OrderWishes }

/** What the client chose for the server besides the plan. */
export function WishFacts({ wishes }: WishesProps) {
  const { label } = wishes
  return (
    <section>
      <h3 className="mb-2">Chosen by the client</h3>
      <Facts className="border-y">
        {label !== null && <Fact term="Label">{label}</Fact>}
        <WishRows wishes={wishes} />
      </Facts>
    </section>
  )
}

/** What a VM given by hand does not get by itself, said before it is given. */
export function NotByHand({ wishes }: WishesProps) {
  const notApplied = notAppliedByHand(wishes)
  if (notApplied.length === 0) return null
  const publicKeys = wishes.sshKeys.flatMap(({ publicKey }) => publicKey ?? [])
  return (
    <section className="space-y-3">
      <h3>Chosen by the client</h3>
      <Facts className="border-y">
        <WishRows wishes={wishes} />
      </Facts>
      {publicKeys.length > 0 && (
        <Copy
          value={publicKeys.join('\n')}
          label={publicKeys.length === 1 ? 'Copy the public key' : 'Copy the public keys'}
          hasText
          variant="secondary"
          size="sm"
        />
      )}
      <Note tone="warn">{adviceFor(notApplied)}</Note>
    </section>
  )
}

function WishRows({ wishes: { hostname, sshKeys, userData } }: WishesProps) {
  return (
    <>
      {hostname !== null && (
        <Fact term="Hostname">
          <span className="font-mono">{hostname}</span>
        </Fact>
      )}
      {sshKeys.length > 0 && <InstalledKeys keys={sshKeys} />}
      {userData && <Fact term="Start-up script">{formatBytes(userData.bytes)}, sealed</Fact>}
    </>
  )
}

function adviceFor(notApplied: ReturnType<typeof notAppliedByHand>): string {
  const [hasHostname, hasKeys] = [notApplied.includes('hostname'), notApplied.includes('sshKeys')]
  const toDo = [hasHostname && 'set the hostname', hasKeys && 'add the keys']
    .filter(Boolean)
    .join(' and ')
  return [
    'A VM given by hand gets none of this by itself.',
    toDo && `First ${toDo} inside it.`,
    notApplied.includes('userData') && 'The script is erased without being run.',
    'The client is told what was not applied.',
  ]
    .filter(Boolean)
    .join(' ')
}
