import { useQuery } from '@tanstack/react-query'
import { Disc3 } from 'lucide-react'
import { useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { EmptyState } from '../../../ui/feedback/empty-state.tsx'
import { Note } from '../../../ui/feedback/note.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { Card, CardHeader } from '../../../ui/layout/card.tsx'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { BootDialog, EndRescueDialog, RescueDialog, useTakeOut } from './cd-dialogs.tsx'
import { OwnIsoDialog } from './own-iso-dialog.tsx'

type Asked =
  | { what: 'rescue' | 'end' | 'own' }
  | { what: 'boot'; iso: { id: number; name: string } }

/** Other systems than the one on the disk: the rescue system, and CDs. */
export function RescueTab({ server }: { server: Server }) {
  const { id, can, cd } = server
  const drive = useQuery({ ...query(api.cds.get, { params: { id } }), staleTime: 0 })
  const takeOut = useTakeOut(server)
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const { data } = drive
  const noRescue = data?.rescue === null ? 'There is no rescue system here yet.' : null
  const refusal = can.rescue.why ?? noRescue
  return (
    <div className="max-w-3xl space-y-4">
      <Card aria-label="Rescue">
        <CardHeader
          title="Rescue"
          description="A small system beside your own, to repair what does not start any more."
          action={
            cd === 'rescue' ? (
              <Button disabled={!can.takeCdOut.allowed} onClick={() => setAsked({ what: 'end' })}>
                End the rescue
              </Button>
            ) : (
              <Button
                disabled={!data || refusal !== null}
                onClick={() => setAsked({ what: 'rescue' })}
              >
                Start in rescue
              </Button>
            )
          }
        />
        {data && cd !== 'rescue' && refusal !== null && (
          <div className="px-5 py-5">
            <Note>{refusal}</Note>
          </div>
        )}
      </Card>
      <Card aria-label="CD">
        <CardHeader
          title="CD"
          description="Starts the server once from an image; then it boots from its disk again."
          action={
            cd === 'iso' && (
              <Button
                disabled={!can.takeCdOut.allowed}
                isPending={takeOut.isPending}
                onClick={takeOut.run}
              >
                Take the CD out
              </Button>
            )
          }
        />
        <ListState query={drive} failure="The images could not be loaded">
          {({ isos }) =>
            isos.length === 0 ? (
              <EmptyState icon={Disc3} title="No images on offer">
                The operator of this place has put no images on the list yet.
              </EmptyState>
            ) : (
              <ul className="divide-y">
                {isos.map((iso) => (
                  <li key={iso.id} className="flex items-center justify-between gap-3 px-5 py-3">
                    <span className="min-w-0 break-words">{iso.name}</span>
                    <Button
                      size="sm"
                      aria-label={`Start from it: ${iso.name}`}
                      disabled={!can.iso.allowed}
                      title={can.iso.why ?? undefined}
                      onClick={() => setAsked({ what: 'boot', iso })}
                    >
                      Start from it
                    </Button>
                  </li>
                ))}
              </ul>
            )
          }
        </ListState>
        {data && (
          <div className="space-y-3 border-t px-5 py-4">
            <Button
              disabled={data.ownRefusal !== null || !can.iso.allowed}
              title={can.iso.why ?? undefined}
              onClick={() => setAsked({ what: 'own' })}
            >
              Use an image of your own
            </Button>
            {data.ownRefusal !== null && <Note>{data.ownRefusal}</Note>}
          </div>
        )}
      </Card>
      {asked?.what === 'rescue' && <RescueDialog server={server} onClose={close} />}
      {asked?.what === 'end' && <EndRescueDialog server={server} onClose={close} />}
      {asked?.what === 'own' && data && (
        <OwnIsoDialog server={server} own={data.own} onClose={close} />
      )}
      {asked?.what === 'boot' && <BootDialog server={server} iso={asked.iso} onClose={close} />}
    </div>
  )
}
