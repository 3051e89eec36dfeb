import { Copy, Eye, Settings } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Template } from '#shared/api/servers/templates.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { osTypeWords } from '../../lib/instance/os-type.ts'
import { Button } from '../../ui/form/button.tsx'
import { useNodeInMany } from '../../widgets/cluster/use-places.ts'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'
import { JobLine } from '../../widgets/jobs/job-stepper.tsx'
import { useJobs } from '../../widgets/jobs/use-jobs.ts'
import { DetailsFrame } from './details-frame.tsx'

// Forms are loaded when opened.
const TemplateViewDialog = lazyPage(
  () => import('./template-view-dialog.tsx'),
  'TemplateViewDialog',
)
const CloneDialog = lazyPage(() => import('./clone-dialog.tsx'), 'CloneDialog')
const TemplateConfigForm = lazyPage(
  () => import('./template-config-form.tsx'),
  'TemplateConfigForm',
)

type Open = 'clone' | 'configure' | 'view'

export function TemplateDetails({ template }: { template: Template }) {
  const [open, setOpen] = useState<Open>()
  const [jobId, setJobId] = useState<string>()
  const close = () => setOpen(undefined)
  const job = useJobs().running.find(({ id }) => id === jobId)
  return (
    <DetailsFrame
      title={template.name}
      actions={
        <>
          <Button size="sm" onClick={() => setOpen('clone')}>
            <Copy aria-hidden="true" className="size-3.5" />
            Clone
          </Button>
          <Button
            size="sm"
            aria-expanded={open === 'configure'}
            onClick={() => setOpen('configure')}
          >
            <Settings aria-hidden="true" className="size-3.5" />
            Configure
          </Button>
          <Button size="sm" onClick={() => setOpen('view')}>
            <Eye aria-hidden="true" className="size-3.5" />
            View
          </Button>
        </>
      }
    >
      {job && <JobLine job={job} />}
      {open === 'configure' ? (
        <Suspense>
          <TemplateConfigForm template={template} onClose={close} />
        </Suspense>
      ) : (
        <TemplateFacts template={template} />
      )}
      {open === 'clone' && (
        <Suspense>
          <CloneDialog template={template} onClose={close} onStarted={setJobId} />
        </Suspense>
      )}
      {open === 'view' && (
        <Suspense>
          <TemplateViewDialog template={template} onClose={close} />
        </Suspense>
      )}
    </DetailsFrame>
  )
}

function TemplateFacts({ template }: { template: Template }) {
  const place = useNodeInMany()(template.nodeId)
  return (
    <Facts>
      <Fact term="Name">{template.name}</Fact>
      <Fact term="Template ID">
        <span className="font-mono">{template.templateId}</span>
      </Fact>
      {place && <Fact term="Lies on">{place}</Fact>}
      <Fact term="Node ID">
        <span className="font-mono">{template.nodeId}</span>
      </Fact>
      <Fact term="OS type">{template.osType ? osTypeWords(template.osType) : 'N/A'}</Fact>
      <Fact term="Description">{template.description || 'None'}</Fact>
    </Facts>
  )
}
