import { useQuery } from '@tanstack/react-query'
import type { Template } from '#shared/api/servers/templates.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { osTypeWords } from '../../lib/instance/os-type.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Fact, Facts } from '../../widgets/facts/facts.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'

type TemplateViewDialogProps = { template: Template; onClose: () => void }

/** What a clone of this template would start with. */
export function TemplateViewDialog({ template, onClose }: TemplateViewDialogProps) {
  const config = useQuery({
    ...query(api.templates.config, { params: { id: template.id } }),
    staleTime: 0,
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={template.name}
      description={`Template ${template.templateId}`}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <ListState query={config} failure="Failed to load configuration">
        {({ memory, cores, description, onboot }) => (
          <Facts>
            <Fact term="OS type">{template.osType ? osTypeWords(template.osType) : 'N/A'}</Fact>
            <Fact term="Memory (MB)">
              <span className="tabular">{memory}</span>
            </Fact>
            <Fact term="CPU Cores">
              <span className="tabular">{cores}</span>
            </Fact>
            <Fact term="Start on boot">{onboot === 1 ? 'Yes' : 'No'}</Fact>
            <Fact term="Description">{description || 'None'}</Fact>
          </Facts>
        )}
      </ListState>
    </Dialog>
  )
}
