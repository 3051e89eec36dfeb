import { useQuery } from '@tanstack/react-query'
import { Disc3 } from 'lucide-react'
import type { Cluster } from '#shared/api/servers/clusters.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Card, CardHeader } from '../../ui/layout/card.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { IsoItem } from './iso-item.tsx'

/** The ISO images in every cluster, and which of them clients can start their servers from. */
export function IsoImagesCards() {
  const clusters = useQuery(query(api.clusters.list))
  return clusters.data?.map((cluster) => <ImagesOf key={cluster.id} cluster={cluster} />)
}

function ImagesOf({ cluster: { id, name } }: { cluster: Pick<Cluster, 'id' | 'name'> }) {
  const images = useQuery(query(api.isos.volumes, { params: { id } }))
  return (
    <Card className="max-w-3xl" aria-label={`ISO images of ${name}`}>
      <CardHeader
        title={`ISO images of ${name}`}
        description="Clients start their servers from those on offer. One of them can be the rescue system."
      />
      <ListState query={images} failure="The images could not be loaded">
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon={Disc3} title="No images in this cluster">
              Upload one to a storage of the cluster in Proxmox.
            </EmptyState>
          ) : (
            <ul className="divide-y">
              {list.map((file) => (
                <IsoItem key={file.volume} clusterId={id} file={file} />
              ))}
            </ul>
          )
        }
      </ListState>
    </Card>
  )
}
