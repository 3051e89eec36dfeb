import { type ReactNode, useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import type { Diagnosis } from '#shared/api/servers/clusters.ts'
import { sentenceOf } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import {
  bodyOf,
  type ConnectionFields,
  certificateIn,
  checkConnection,
  EMPTY_CONNECTION,
  type SeenCertificate,
} from './cluster-form.ts'
import { ConnectionFieldset } from './connection-fields.tsx'
import { CertificateSeen } from './fingerprint.tsx'
import { PermissionReport } from './permission-report.tsx'
import { AFTER_CLUSTER_CHANGE } from './refreshed-routes.ts'

/** Enter the connection, compare an unknown certificate, read the missing privileges, connect. */
type Step =
  | { at: 'form' }
  | { at: 'certificate'; seen: SeenCertificate }
  | { at: 'report'; diagnosis: Diagnosis; tlsFingerprint: string | undefined }

export function AddClusterDialog({ onClose }: { onClose: () => void }) {
  const formId = useId()
  const [step, setStep] = useState<Step>({ at: 'form' })
  // Compared once: another attempt with another password does not ask again.
  const [trusted, setTrusted] = useState<{ address: string; fingerprint: string }>()
  const form = useForm<ConnectionFields>({
    defaultValues: EMPTY_CONNECTION,
    resolver: zodResolver(checkConnection),
  })
  // The dialog itself shows what went wrong: the user looks at it.
  const test = useAction(api.clusters.test, { failed: () => undefined })
  const create = useAction(api.clusters.create, {
    done: 'Cluster connection created and synced successfully',
    failed: 'Error',
    refresh: AFTER_CLUSTER_CHANGE,
  })

  const bodyWith = (tlsFingerprint: string | undefined) => ({
    ...bodyOf(form.getValues()),
    ...(tlsFingerprint !== undefined && { tlsFingerprint }),
  })

  const addressNow = () => `${form.getValues('host')}:${form.getValues('port')}`

  async function tryOut(tlsFingerprint?: string) {
    const outcome = await test.run({ body: bodyWith(tlsFingerprint) })
    if (outcome.ok) {
      const { diagnosis } = outcome.result
      return setStep({ at: 'report', diagnosis, tlsFingerprint })
    }
    const seen = certificateIn(outcome.error)
    setStep(seen ? { at: 'certificate', seen } : { at: 'form' })
  }

  function trust(fingerprint: string) {
    setTrusted({ address: addressNow(), fingerprint })
    void tryOut(fingerprint)
  }

  const tryAgain = () => tryOut(trusted?.address === addressNow() ? trusted.fingerprint : undefined)

  async function connect(tlsFingerprint: string | undefined) {
    const { ok } = await create.run({ body: bodyWith(tlsFingerprint) })
    if (ok) onClose()
  }

  const back = <Button onClick={() => setStep({ at: 'form' })}>Back</Button>
  const cancel = <Button onClick={onClose}>Cancel</Button>
  const views: Record<Step['at'], () => { content: ReactNode; footer: ReactNode }> = {
    form: () => ({
      content: (
        <form
          id={formId}
          noValidate
          className="space-y-5"
          onSubmit={(event) => void form.handleSubmit(tryAgain)(event)}
        >
          {test.error && !certificateIn(test.error) && (
            <Note tone="bad">{sentenceOf(test.error)}</Note>
          )}
          <ConnectionFieldset form={form} hasPassword={false} />
        </form>
      ),
      footer: (
        <>
          {cancel}
          <Button type="submit" form={formId} variant="primary" isPending={test.isPending}>
            Test connection
          </Button>
        </>
      ),
    }),
    certificate: () => ({
      content: step.at === 'certificate' && <CertificateSeen certificate={step.seen} />,
      footer: (
        <>
          {back}
          <Button
            variant="primary"
            isPending={test.isPending}
            onClick={() => step.at === 'certificate' && trust(step.seen.fingerprint)}
          >
            It matches, trust it
          </Button>
        </>
      ),
    }),
    report: () => ({
      content: step.at === 'report' && <PermissionReport diagnosis={step.diagnosis} />,
      footer: (
        <>
          {back}
          <Button
            variant="primary"
            isPending={create.isPending}
            onClick={() => step.at === 'report' && void connect(step.tlsFingerprint)}
          >
            Add Cluster
          </Button>
        </>
      ),
    }),
  }
  const { content, footer } = views[step.at]()
  return (
    <Dialog isOpen onClose={onClose} title="Add Proxmox Cluster" footer={footer}>
      {content}
    </Dialog>
  )
}
