import { CardBody } from '../../ui/layout/card.tsx'

/** A client's secrets are not accessible to an admin who simulates it. */
export function SimulatedNote() {
  return (
    <CardBody className="text-ink-soft">
      Not available while simulating: these belong to the client alone.
    </CardBody>
  )
}
