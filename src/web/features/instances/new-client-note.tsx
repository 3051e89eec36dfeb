import { Copy } from '../../widgets/facts/copy.tsx'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'

export type NewClient = { email: string; username: string; password: string | undefined }

/** The generated password of a new client, which cannot be looked up later. */
export function NewClientNote({ client }: { client: NewClient }) {
  return (
    <div className="rounded-md border bg-sunken px-4 py-2">
      <p className="py-1 font-semibold">The client was created. The password is shown this once.</p>
      <Facts>
        <Fact term="E-mail">{client.email}</Fact>
        <Fact term="Username">
          <span className="font-mono">{client.username}</span>
          <Copy value={client.username} label="Copy username" />
        </Fact>
        {client.password !== undefined && (
          <Fact term="Password">
            <span className="font-mono">{client.password}</span>
            <Copy value={client.password} label="Copy password" />
          </Fact>
        )}
      </Facts>
    </div>
  )
}
