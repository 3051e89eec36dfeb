import { useQuery } from '@tanstack/react-query'
import { useId, useMemo, useState } from 'react'
import type { Server } from '#shared/api/overview/servers.ts'
import type { Firewall } from '#shared/api/servers/firewall.ts'
import { MOST_RULES } from '#shared/rules/network/firewall-rules.ts'
import { query } from '../../../api/query.ts'
import { api } from '../../../api/table.ts'
import { useAction } from '../../../api/use-action.ts'
import { lazyPage } from '../../../lib/browser/lazy-page.ts'
import { Button } from '../../../ui/form/button.tsx'
import { Segments } from '../../../ui/form/segments.tsx'
import { Later } from '../../../ui/indicator/later.tsx'
import { Card, CardHeader } from '../../../ui/layout/card.tsx'
import { ListState } from '../../../widgets/list/list-state.tsx'
import { type Draft, type DraftRule, draftOf, firewallOf, isSame, withRule } from './draft.ts'
import { FIREWALL_CHANGED } from './firewall-changed.ts'
import { FirewallNotes } from './firewall-notes.tsx'
import { RuleList } from './rule-list.tsx'
import { Starters } from './starters.tsx'

const RuleDialog = lazyPage(() => import('./rule-dialog.tsx'), 'RuleDialog')

const POLL_MS = 30_000
const BUSY_POLL_MS = 2_000

const isBusy = (data: Firewall | undefined) =>
  data !== undefined && (data.revertAt !== null || !data.isApplied)

/** The rules of the server, and a minute to try others. */
export function FirewallCard({ server }: { server: Pick<Server, 'id' | 'label'> }) {
  const { id } = server
  const firewall = useQuery({
    ...query(api.firewall.get, { params: { id } }),
    staleTime: 0,
    refetchInterval: ({ state }) => (isBusy(state.data) ? BUSY_POLL_MS : POLL_MS),
  })
  return (
    <Card className="max-w-3xl" aria-label="Firewall">
      <CardHeader
        title="Firewall"
        description="What may reach this server, and what it may reach. The first rule that fits decides."
      />
      <ListState query={firewall} failure="The firewall could not be loaded">
        {(data) => <Editor server={server} firewall={data} />}
      </ListState>
    </Card>
  )
}

type EditorProps = { server: Pick<Server, 'id' | 'label'>; firewall: Firewall }

function Editor({ server, firewall }: EditorProps) {
  const addId = useId()
  const [edited, setEdited] = useState<Draft>()
  const [asked, setAsked] = useState<{ rule?: DraftRule }>()
  // The keys of its rows stay until the rules are others: an answer that says the same of them has
  // the same list, whatever else in it has changed.
  const { rules, incoming } = firewall
  const stored = useMemo(() => draftOf({ rules, incoming }), [rules, incoming])
  const draft = edited ?? stored
  const isChanged = edited !== undefined && !isSame(edited, firewall)
  const isDisabled = firewall.refusal !== null
  const apply = useAction(api.firewall.set, {
    failed: 'The rules were not applied',
    refresh: FIREWALL_CHANGED,
  })
  const submit = async () => {
    const { ok } = await apply.run({ params: { id: server.id }, body: firewallOf(draft) })
    if (ok) setEdited(undefined)
  }
  return (
    <>
      <FirewallNotes
        server={server}
        firewall={firewall}
        onTryAgain={isDisabled ? undefined : (tried) => setEdited(draftOf(tried))}
      />
      {draft.rules.length === 0 && (
        <p className="px-5 py-5 text-ink-soft">
          {draft.incoming === 'ACCEPT'
            ? 'No rules: everything may come in. Begin with one of the lists below, or add rules of your own.'
            : 'No rules: nothing may come in, except the answers to what the server asks for.'}
        </p>
      )}
      {/* Also without rules: it says that the last one is removed. */}
      <RuleList
        draft={draft}
        isDisabled={isDisabled}
        addId={addId}
        onChange={setEdited}
        onEdit={(rule) => setAsked({ rule })}
      />
      <div className="flex flex-wrap items-center justify-between gap-3 border-t px-5 py-3">
        <span>Everything else that comes in</span>
        <fieldset disabled={isDisabled}>
          <Segments
            label="Everything else that comes in"
            options={INCOMING_CHOICES}
            value={draft.incoming}
            onChange={(value) =>
              setEdited({ ...draft, incoming: value === 'DROP' ? 'DROP' : 'ACCEPT' })
            }
          />
        </fieldset>
      </div>
      <div className="flex flex-wrap items-center gap-3 border-t px-5 py-4">
        <Button
          id={addId}
          disabled={isDisabled || draft.rules.length >= MOST_RULES}
          onClick={() => setAsked({})}
        >
          Add a rule
        </Button>
        <Starters isDisabled={isDisabled} onChoose={(chosen) => setEdited(draftOf(chosen))} />
      </div>
      {isChanged && (
        <div className="flex flex-wrap items-center justify-between gap-3 border-t bg-sunken px-5 py-4">
          <p className="basis-64 grow text-sm">
            Not applied yet. Once applied, you have a minute to confirm that you still reach the
            server.
          </p>
          <div className="flex gap-2">
            <Button onClick={() => setEdited(undefined)}>Discard</Button>
            <Button
              variant="primary"
              disabled={isDisabled}
              isPending={apply.isPending}
              onClick={() => void submit()}
            >
              Apply
            </Button>
          </div>
        </div>
      )}
      {asked && (
        <Later className="h-0">
          <RuleDialog
            rule={asked.rule}
            onClose={() => setAsked(undefined)}
            onSave={(rule) => {
              setEdited(withRule(draft, rule, asked.rule?.key))
              setAsked(undefined)
            }}
          />
        </Later>
      )}
    </>
  )
}

const INCOMING_CHOICES = [
  { value: 'ACCEPT', label: 'Allowed' },
  { value: 'DROP', label: 'Dropped' },
]
