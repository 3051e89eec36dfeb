import { CardBody } from '../../ui/layout/card.tsx'

/** Secrets of a client are out of reach for whoever simulates it. */
export function SimulatedNote() {
  return (
    <CardBody className="text-ink-soft">
      Not available while simulating: these belong to the client alone.
    </CardBody>
  )
}
