import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { Cluster } from '#shared/api/clusters.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/zod-resolver.ts'
import { Button } from '../../ui/button.tsx'
import { Note } from '../../widgets/note.tsx'
import {
  type ConnectionFields,
  certificateIn,
  changesBody,
  checkChanges,
  connectionOf,
  type SeenCertificate,
} from './cluster-form.ts'
import { ConnectionFieldset } from './connection-fields.tsx'
import { CertificateSeen, Fingerprint } from './fingerprint.tsx'
import { AFTER_CLUSTER_CHANGE } from './refreshed-routes.ts'

type ConnectionTabProps = { cluster: Cluster; onClose: () => void }

/** Saving connects first: a certificate that is not the pinned one is shown before it is trusted. */
export function ConnectionTab({ cluster, onClose }: ConnectionTabProps) {
  const [seen, setSeen] = useState<SeenCertificate>()
  const form = useForm<ConnectionFields>({
    defaultValues: connectionOf(cluster),
    resolver: zodResolver(checkChanges),
  })
  const update = useAction(api.clusters.update, {
    done: 'Cluster updated successfully',
    failed: () => undefined,
    refresh: AFTER_CLUSTER_CHANGE,
  })

  async function save(tlsFingerprint?: string) {
    const body = {
      ...changesBody(form.getValues()),
      ...(tlsFingerprint !== undefined && { tlsFingerprint }),
    }
    const outcome = await update.run({ params: { id: cluster.id }, body })
    if (outcome.ok) return onClose()
    setSeen(certificateIn(outcome.error))
  }

  if (seen) {
    return (
      <div className="space-y-5">
        <CertificateSeen certificate={seen} />
        <Actions>
          <Button onClick={() => setSeen(undefined)}>Back</Button>
          <Button
            variant="primary"
            isPending={update.isPending}
            onClick={() => void save(seen.fingerprint)}
          >
            It matches, trust it
          </Button>
        </Actions>
      </div>
    )
  }
  return (
    <form
      noValidate
      className="space-y-5"
      onSubmit={(event) => void form.handleSubmit(() => save())(event)}
    >
      {update.error && !certificateIn(update.error) && (
        <Note tone="bad">{sentenceOf(update.error)}</Note>
      )}
      {cluster.problem && <Note tone="warn">{cluster.problem}</Note>}
      <ConnectionFieldset form={form} hasPassword />
      <div>
        <h3 className="mb-1.5">Certificate</h3>
        {cluster.tlsFingerprint ? (
          <>
            <Fingerprint value={cluster.tlsFingerprint} />
            <Button
              size="sm"
              className="mt-2"
              isPending={update.isPending}
              onClick={() => void save(cluster.tlsFingerprint ?? undefined)}
            >
              Check the certificate
            </Button>
          </>
        ) : (
          <p className="text-ink-soft">Vouched for by a public authority; nothing is pinned.</p>
        )}
      </div>
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={update.isPending}>
          Save
        </Button>
      </Actions>
    </form>
  )
}

function Actions({ children }: { children: React.ReactNode }) {
  return <div className="flex justify-end gap-2">{children}</div>
}
