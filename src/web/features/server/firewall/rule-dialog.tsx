import { useForm } from 'react-hook-form'
import {
  ACTIONS,
  type ClientRule,
  hasPorts,
  LONGEST_COMMENT,
  PROTOCOLS,
} from '#shared/rules/network/firewall-rules.ts'
import { zodResolver } from '../../../lib/forms/zod-resolver.ts'
import { Field } from '../../../ui/form/field.tsx'
import { Input } from '../../../ui/form/input.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { TextField } from '../../../ui/form/text-field.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { checkRule, EMPTY_RULE, fieldsOf, type RuleFields, ruleOf } from './rule-form.ts'
import { protocolWords } from './rule-words.ts'

const DIRECTIONS = [
  { value: 'in', label: 'Incoming' },
  { value: 'out', label: 'Outgoing' },
]
const ACTION_LABELS = {
  ACCEPT: 'Allow',
  DROP: 'Drop, without an answer',
  REJECT: 'Reject, with an answer',
}
const ACTION_CHOICES = ACTIONS.map((value) => ({ value, label: ACTION_LABELS[value] }))
const PROTOCOL_CHOICES = ['' as const, ...PROTOCOLS].map((value) => ({
  value,
  label: protocolWords(value),
}))
const TYPED = { autoComplete: 'off', autoCapitalize: 'off', spellCheck: false } as const

type RuleDialogProps = {
  /** The rule that is edited; a new one if absent. */
  rule: ClientRule | undefined
  onSave: (rule: ClientRule) => void
  onClose: () => void
}

export function RuleDialog({ rule, onSave, onClose }: RuleDialogProps) {
  const form = useForm<RuleFields>({
    defaultValues: rule ? fieldsOf(rule) : EMPTY_RULE,
    resolver: zodResolver(checkRule),
  })
  const { register, formState, watch } = form
  const { errors } = formState
  const [direction, protocol] = watch(['direction', 'protocol'])
  return (
    <FormDialog
      onClose={onClose}
      title={rule ? 'Edit the rule' : 'Add a rule'}
      verb={rule ? 'Change it' : 'Add it'}
      className="grid gap-4 sm:grid-cols-2"
      onSubmit={form.handleSubmit((fields) => onSave(ruleOf(fields)))}
    >
      <Field label="Direction">
        {(control) => <Select {...control} {...register('direction')} options={DIRECTIONS} />}
      </Field>
      <Field label="Action">
        {(control) => <Select {...control} {...register('action')} options={ACTION_CHOICES} />}
      </Field>
      <Field label="Protocol" error={errors.protocol?.message}>
        {(control) => <Select {...control} {...register('protocol')} options={PROTOCOL_CHOICES} />}
      </Field>
      <TextField
        label="Ports"
        hint="Empty: all of them."
        error={errors.ports?.message}
        {...register('ports')}
        {...TYPED}
        readOnly={!hasPorts(protocol || undefined)}
        placeholder={hasPorts(protocol || undefined) ? '80, 443, 8000-8100' : 'Has no ports'}
        className="font-mono"
      />
      <Field
        label={direction === 'in' ? 'From' : 'To'}
        hint="An address or a network. Empty: anywhere."
        error={errors.place?.message}
        className="sm:col-span-2"
      >
        {(control) => (
          <Input
            {...control}
            {...register('place')}
            {...TYPED}
            placeholder="203.0.113.0/24"
            className="font-mono"
          />
        )}
      </Field>
      <Field label="Comment (optional)" error={errors.comment?.message} className="sm:col-span-2">
        {(control) => (
          <Input
            {...control}
            {...register('comment')}
            maxLength={LONGEST_COMMENT}
            autoComplete="off"
            placeholder="From the office"
          />
        )}
      </Field>
    </FormDialog>
  )
}
