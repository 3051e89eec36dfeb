import { useForm } from 'react-hook-form'
import type { Package } from '#shared/api/shop/packages.ts'
import { api } from '../../api/table.ts'
import { useAction } from '../../api/use-action.ts'
import { zodResolver } from '../../lib/forms/zod-resolver.ts'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { PackageFieldset } from './package-fields.tsx'
import {
  bodyOf,
  checkPackage,
  copyOf,
  EMPTY_PACKAGE,
  fieldsOf,
  type PackageFields,
} from './package-form.ts'

export type PackageAct = { act: 'add' } | { act: 'edit' | 'duplicate'; plan: Package }

const TITLES = { add: 'Add Package', edit: 'Edit Package', duplicate: 'Duplicate Package' }
const VERBS = { add: 'Create Package', edit: 'Save', duplicate: 'Create Package' }
const REFRESH = [api.packages.list, api.packages.public]

const startOf = (act: PackageAct): PackageFields => {
  if (act.act === 'add') return EMPTY_PACKAGE
  return act.act === 'edit' ? fieldsOf(act.plan) : copyOf(act.plan)
}

/** Shown before anything is sent; the fields show the same beside them. */
const refusal = (fields: PackageFields) => {
  const sentence = checkPackage(fields).error?.issues[0]?.message
  return sentence === undefined ? undefined : { title: 'Validation Error', description: sentence }
}

type PackageDialogProps = { act: PackageAct; onClose: () => void }

export function PackageDialog({ act, onClose }: PackageDialogProps) {
  const form = useForm<PackageFields>({
    defaultValues: startOf(act),
    resolver: zodResolver(checkPackage),
  })
  const check = () => refusal(form.getValues())
  const create = useAction(api.packages.create, {
    check,
    done: 'Package created successfully',
    failed: 'Creation Failed',
    refresh: REFRESH,
  })
  const update = useAction(api.packages.update, {
    check,
    done: 'Package updated successfully',
    failed: 'Update Failed',
    refresh: REFRESH,
  })

  async function save() {
    const body = bodyOf(form.getValues())
    const { ok } =
      act.act === 'edit'
        ? await update.run({ params: { id: act.plan.id }, body })
        : await create.run({ body })
    if (ok) onClose()
  }

  return (
    <FormDialog
      onClose={onClose}
      title={TITLES[act.act]}
      verb={VERBS[act.act]}
      isPending={create.isPending || update.isPending}
      // The fields and the action, which refuses to send, both name what is missing.
      onSubmit={form.handleSubmit(save, save)}
    >
      <PackageFieldset form={form} />
    </FormDialog>
  )
}
