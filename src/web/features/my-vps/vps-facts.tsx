import type { ClientToken } from '#shared/api/overview/client.ts'
import { Fact, Facts, MachineFact } from '../../widgets/facts/facts.tsx'
import { SecretFact } from '../../widgets/facts/secret-fact.tsx'

const LATER = 'Known when it is ready'

type VpsFactsProps = { token: ClientToken; isSimulated: boolean }

/** What the server is and how to sign in. */
export function VpsFacts({ token, isSimulated }: VpsFactsProps) {
  const of = token.label
  const isComing = token.status === 'pending'
  return (
    <Facts className="px-5">
      <Fact term="OS">{token.osType}</Fact>
      <MachineFact
        of={of}
        term="IP address"
        value={token.ipAddress}
        otherwise={isComing ? LATER : 'None'}
      />
      {token.clientIpAddress && (
        <MachineFact of={of} term="Client IP" value={token.clientIpAddress} otherwise="" />
      )}
      <MachineFact of={of} term="MAC address" value={token.macAddress} otherwise="Auto-assigned" />
      {token.domain && <MachineFact of={of} term="Domain" value={token.domain} otherwise="" />}
      <MachineFact
        of={of}
        term="Username"
        value={token.username}
        otherwise={isComing ? LATER : 'Not known'}
      />
      <SecretFact
        of={of}
        term="Password"
        value={token.password}
        isSimulated={isSimulated && !isComing}
        {...(isComing && { otherwise: LATER })}
      />
    </Facts>
  )
}
