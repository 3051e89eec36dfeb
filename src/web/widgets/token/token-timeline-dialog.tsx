import { useQuery } from '@tanstack/react-query'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { ListState } from '../list/list-state.tsx'
import { Moments } from '../time/moments.tsx'

type TimelineProps = { token: { id: number; name: string }; onClose: () => void }

/** Events of a token, newest first. */
export function TokenTimelineDialog({ token, onClose }: TimelineProps) {
  const timeline = useQuery({
    ...query(api.tokens.timeline, { params: { id: token.id } }),
    staleTime: 0,
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="History"
      description={token.name}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <ListState query={timeline} failure="The history could not be loaded">
        {(events) => <Moments events={events} />}
      </ListState>
    </Dialog>
  )
}
