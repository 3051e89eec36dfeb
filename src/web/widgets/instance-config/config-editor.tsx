import { useState } from 'react'
import { type FieldErrors, useForm } from 'react-hook-form'
import type { Instance } from '#shared/api/servers/instances.ts'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { Note } from '../../ui/feedback/note.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Tabs } from '../../ui/layout/tabs.tsx'
import { DialogFooter } from '../../ui/overlay/dialog.tsx'
import { HardwareFields, OptionFields } from './config-fields.tsx'
import {
  type ConfigFields,
  type ConfigReply,
  changesOf,
  checkConfig,
  fieldsOf,
  keyWords,
  waitsForRestart,
} from './config-form.ts'

type ConfigFormProps = {
  instance: Instance
  found: ConfigReply
  onClose: () => void
  onReload: () => void
}

const OPTION_KEYS: readonly string[] = ['ostype', 'onboot', 'protection', 'agent']

/** Starts from the values found when it opened, and compares with those. */
export function ConfigForm({ instance, found, onClose, onReload }: ConfigFormProps) {
  const [config] = useState(found)
  const [tab, setTab] = useState('hardware')
  const before = fieldsOf(config)
  const form = useForm<ConfigFields>({
    defaultValues: before,
    resolver: zodResolver((after) => checkConfig(before, after)),
  })
  const save = useAction(api.instances.setConfig, {
    done: ({ pending = [] }) => ({
      title: 'Configuration Updated',
      ...(pending.length > 0 && { description: `Waits for a restart: ${keyWords(pending)}.` }),
    }),
    failed: { title: 'Update Failed', description: 'Failed to update VM configuration.' },
    refresh: [api.instances.list],
  })

  async function submit(after: ConfigFields) {
    const changes = changesOf(before, after)
    if (Object.keys(changes).length === 0) return onClose()
    const { digest } = config
    const body = { ...changes, ...(digest !== undefined && { digest }) }
    const { ok } = await save.run({ params: { id: instance.id }, body })
    if (ok) onClose()
  }

  /** Switches to the tab of the first invalid field. */
  function showFirst(errors: FieldErrors<ConfigFields>) {
    const [first] = Object.keys(errors)
    if (first) setTab(OPTION_KEYS.includes(first) ? 'options' : 'hardware')
  }

  const changed = waitsForRestart(Object.keys(changesOf(before, form.watch())))
  const hasFields = tab === 'hardware' || tab === 'options'
  const isBehind = save.error instanceof ApiError && save.error.body?.code === 'CHANGED_MEANWHILE'
  return (
    <form noValidate onSubmit={(event) => void form.handleSubmit(submit, showFirst)(event)}>
      {config.pending && config.pending.length > 0 && (
        <Note className="mb-4">Waiting for a restart: {keyWords(config.pending)}.</Note>
      )}
      {isBehind && (
        <Note tone="warn" className="mb-4">
          Somebody else changed this VM meanwhile.{' '}
          <button type="button" className="text-link" onClick={onReload}>
            Load it again
          </button>
        </Note>
      )}
      <Tabs
        label="Configuration"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'hardware', label: 'Hardware', content: <HardwareFields form={form} /> },
          { value: 'options', label: 'Options', content: <OptionFields form={form} /> },
          { value: 'cloud-init', label: 'Cloud-Init', content: <Later what="Cloud-Init" /> },
          { value: 'backup', label: 'Backup', content: <Later what="Backup" /> },
        ]}
      />
      <p aria-live="polite" className="mt-5 min-h-4 text-ink-soft text-xs">
        {instance.status === 'running' &&
          changed.length > 0 &&
          `Takes effect after a restart: ${keyWords(changed)}.`}
      </p>
      {/* Extends to the edges of the dialog, and stays visible however long the form is. */}
      <DialogFooter className="-mx-5 -mb-5">
        <Button onClick={onClose}>{hasFields ? 'Cancel' : 'Close'}</Button>
        {hasFields && (
          <Button type="submit" variant="primary" isPending={save.isPending}>
            Save
          </Button>
        )}
      </DialogFooter>
    </form>
  )
}

function Later({ what }: { what: string }) {
  return (
    <p className="py-10 text-center text-ink-soft">
      {what} configuration will be available in a future update.
    </p>
  )
}
