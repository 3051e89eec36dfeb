import { ArrowDown, ArrowUp, Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../../ui/form/button.tsx'
import { Badge } from '../../../ui/indicator/badge.tsx'
import { type Draft, type DraftRule, withMoved, withoutRule } from './draft.ts'
import { ACTION_WORDS, ruleText } from './rule-words.ts'

type RuleListProps = {
  draft: Draft
  isDisabled: boolean
  /** The button that follows the list. */
  addId: string
  onChange: (draft: Draft) => void
  onEdit: (rule: DraftRule) => void
}

/** The first rule that fits decides, so each can be moved. */
export function RuleList({ draft, isDisabled, addId, onChange, onEdit }: RuleListProps) {
  const listId = useId()
  const [said, setSaid] = useState('')
  const idOf = (key: number, way: string) => `${listId}-${key}-${way}`

  /** The focus stays on the rule that moved; at the end on its other arrow. */
  const move = (key: number, by: -1 | 1) => {
    const moved = withMoved(draft, key, by)
    const place = moved.rules.findIndex((rule) => rule.key === key) + 1
    flushSync(() => {
      onChange(moved)
      setSaid(`Now rule ${place} of ${moved.rules.length}`)
    })
    const [way, other] = by < 0 ? ['up', 'down'] : ['down', 'up']
    const arrow = document.getElementById(idOf(key, way))
    const isUsable = arrow instanceof HTMLButtonElement && !arrow.disabled
    ;(isUsable ? arrow : document.getElementById(idOf(key, other)))?.focus()
  }

  /** The focus goes on to the rule that follows, or to the button after the list. */
  const remove = (key: number) => {
    const at = draft.rules.findIndex((rule) => rule.key === key)
    const next = draft.rules[at + 1]
    flushSync(() => {
      onChange(withoutRule(draft, key))
      setSaid(`Rule ${at + 1} of ${draft.rules.length} is removed`)
    })
    document.getElementById(next ? idOf(next.key, 'remove') : addId)?.focus()
  }

  return (
    <>
      {draft.rules.length > 0 && (
        <ol className="divide-y">
          {draft.rules.map((rule, at) => (
            <Row key={rule.key} rule={rule} place={at + 1}>
              <IconButton
                id={idOf(rule.key, 'up')}
                label={`Move rule ${at + 1} up`}
                isDisabled={isDisabled || at === 0}
                onClick={() => move(rule.key, -1)}
              >
                <ArrowUp aria-hidden="true" className="size-4" />
              </IconButton>
              <IconButton
                id={idOf(rule.key, 'down')}
                label={`Move rule ${at + 1} down`}
                isDisabled={isDisabled || at === draft.rules.length - 1}
                onClick={() => move(rule.key, 1)}
              >
                <ArrowDown aria-hidden="true" className="size-4" />
              </IconButton>
              <IconButton
                label={`Edit rule ${at + 1}`}
                isDisabled={isDisabled}
                onClick={() => onEdit(rule)}
              >
                <Pencil aria-hidden="true" className="size-4" />
              </IconButton>
              <IconButton
                id={idOf(rule.key, 'remove')}
                label={`Remove rule ${at + 1}`}
                isDisabled={isDisabled}
                onClick={() => remove(rule.key)}
              >
                <Trash2 aria-hidden="true" className="size-4" />
              </IconButton>
            </Row>
          ))}
        </ol>
      )}
      <span role="status" className="sr-only">
        {said}
      </span>
    </>
  )
}

function Row({ rule, place, children }: { rule: DraftRule; place: number; children: ReactNode }) {
  const { action, direction, comment } = rule
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-2.5">
      <span className="tabular w-5 shrink-0 text-ink-soft">{place}</span>
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Badge tone={action === 'ACCEPT' ? 'good' : 'bad'}>{ACTION_WORDS[action]}</Badge>
          <span className="font-semibold">{direction === 'in' ? 'In' : 'Out'}</span>
          <span className="min-w-0 break-words">{ruleText(rule)}</span>
        </p>
        {comment !== undefined && <p className="break-words text-ink-soft text-sm">{comment}</p>}
      </div>
      <div className="-mr-2 ml-auto flex">{children}</div>
    </li>
  )
}

type IconButtonProps = {
  id?: string
  label: string
  isDisabled: boolean
  onClick: () => void
  children: ReactNode
}

function IconButton({ id, label, isDisabled, onClick, children }: IconButtonProps) {
  return (
    <Button
      {...(id !== undefined && { id })}
      variant="ghost"
      size="icon"
      aria-label={label}
      disabled={isDisabled}
      onClick={onClick}
    >
      {children}
    </Button>
  )
}
