import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { RequestOf } from '#shared/api/parts/route.ts'
import type { Cluster } from '#shared/api/servers/clusters.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button } from '../../ui/form/button.tsx'
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
type Changes = NonNullable<RequestOf<typeof api.clusters.update>['body']>

/** Saving connects first: a certificate other than the pinned one is shown before it is trusted. */
export function ConnectionTab({ cluster, onClose }: ConnectionTabProps) {
  const [asked, setAsked] = useState<{ seen: SeenCertificate; changes: Changes }>()
  const form = useForm<ConnectionFields>({
    defaultValues: connectionOf(cluster),
    resolver: zodResolver(checkChanges),
  })
  const update = useAction(api.clusters.update, {
    done: 'Cluster updated successfully',
    failed: () => undefined,
    refresh: AFTER_CLUSTER_CHANGE,
  })
  const check = useAction(api.clusters.update, {
    done: 'The certificate is the pinned one',
    failed: () => undefined,
  })
  const failure = update.error ?? check.error

  /** Sends the same changes again, with the certificate that was compared. */
  async function save(changes: Changes) {
    const outcome = await update.run({ params: { id: cluster.id }, body: changes })
    if (outcome.ok) return onClose()
    ask(outcome.error, changes)
  }

  async function checkCertificate(tlsFingerprint: string) {
    const changes = { tlsFingerprint }
    const outcome = await check.run({ params: { id: cluster.id }, body: changes })
    if (!outcome.ok) ask(outcome.error, changes)
  }

  function ask(error: Error | undefined, changes: Changes) {
    const seen = certificateIn(error)
    setAsked(seen && { seen, changes })
  }

  if (asked) {
    const { seen, changes } = asked
    return (
      <div className="space-y-5">
        <CertificateSeen certificate={seen} />
        <Actions>
          <Button onClick={() => setAsked(undefined)}>Back</Button>
          <Button
            variant="primary"
            isPending={update.isPending}
            onClick={() => void save({ ...changes, tlsFingerprint: seen.fingerprint })}
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
      onSubmit={(event) => void form.handleSubmit((fields) => save(changesBody(fields)))(event)}
    >
      {failure && !certificateIn(failure) && <Note tone="bad">{sentenceOf(failure)}</Note>}
      {cluster.problem && <Note tone="warn">{cluster.problem}</Note>}
      <ConnectionFieldset form={form} hasPassword />
      <Pinned
        fingerprint={cluster.tlsFingerprint}
        isPending={check.isPending}
        onCheck={checkCertificate}
      />
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" isPending={update.isPending}>
          Save
        </Button>
      </Actions>
    </form>
  )
}

type PinnedProps = {
  fingerprint: string | null
  isPending: boolean
  onCheck: (fingerprint: string) => Promise<void>
}

function Pinned({ fingerprint, isPending, onCheck }: PinnedProps) {
  return (
    <div>
      <h3 className="mb-1.5">Certificate</h3>
      {fingerprint === null ? (
        <p className="text-ink-soft">Vouched for by a public authority; nothing is pinned.</p>
      ) : (
        <>
          <Fingerprint value={fingerprint} />
          <Button
            size="sm"
            className="mt-2"
            isPending={isPending}
            onClick={() => void onCheck(fingerprint)}
          >
            Check the certificate
          </Button>
        </>
      )}
    </div>
  )
}

function Actions({ children }: { children: React.ReactNode }) {
  return <div className="flex justify-end gap-2">{children}</div>
}
