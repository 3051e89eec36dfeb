import { useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Token } from '#shared/api/shop/tokens.ts'
import { MINUTE_MS } from '#shared/rules/time/durations.ts'
import { query } from '../../api/query.ts'
import { api } from '../../api/table.ts'
import { lazyPage } from '../../lib/browser/lazy-page.ts'
import { useSearchParam } from '../../lib/paths/use-search-param.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { May } from '../../widgets/facts/may.tsx'
import { ListState } from '../../widgets/list/list-state.tsx'
import { LongTable } from '../../widgets/list/long-table.tsx'
import { matcher } from '../../widgets/list/matcher.ts'
import { SearchField } from '../../widgets/list/search-field.tsx'
import { FilterChip, useShow } from '../../widgets/list/show-filter.tsx'
import { QueryFreshness } from '../../widgets/time/query-freshness.tsx'
import { useServerNow } from '../../widgets/time/use-server-now.ts'
import { TOKEN_COLUMNS } from './token-columns.tsx'
import { passes, TOKEN_FILTERS } from './token-filters.ts'

const CreateTokenDialog = lazyPage(
  () => import('./dialogs/create-token-dialog.tsx'),
  'CreateTokenDialog',
)

export function TokensPage() {
  const { show, chip } = useShow(TOKEN_FILTERS)
  const [id, setId] = useSearchParam('id')
  const now = useServerNow(MINUTE_MS)
  const tokens = useQuery({ ...query(api.tokens.list), staleTime: 0 })
  const [text, setText] = useSearchParam('q')
  const [isCreating, setCreating] = useState(false)
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <SearchField
          label="Find a token"
          placeholder="Name, id, address or system"
          value={text}
          onChange={setText}
        />
        <May duty="run">
          <Button variant="primary" onClick={() => setCreating(true)}>
            <Plus aria-hidden="true" className="size-4" />
            Create Token
          </Button>
        </May>
      </div>
      <Card>
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 border-b py-1 pr-2 pl-5">
          <div className="flex flex-wrap items-center gap-3">
            <h2 className="text-base">All Tokens{tokens.data && ` (${tokens.data.length})`}</h2>
            {chip}
            {id !== '' && <FilterChip label={`Only token ${id}`} onClear={() => setId('')} />}
          </div>
          <QueryFreshness query={tokens} />
        </div>
        <ListState query={tokens} failure="The tokens could not be loaded">
          {(list) => (
            <TokenTable
              tokens={list}
              isShown={(token) =>
                passes(show, token, now) && (id === '' || String(token.id) === id)
              }
              text={text}
              onCreate={() => setCreating(true)}
            />
          )}
        </ListState>
      </Card>
      {isCreating && (
        <Suspense>
          <CreateTokenDialog onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </div>
  )
}

type TokenTableProps = {
  tokens: readonly Token[]
  isShown: (token: Token) => boolean
  text: string
  onCreate: () => void
}

function TokenTable({ tokens, isShown, text, onCreate }: TokenTableProps) {
  if (tokens.length === 0) {
    return (
      <EmptyState
        icon={KeyRound}
        title="No tokens created yet. Create your first token to get started."
        action={
          <May duty="run">
            <Button onClick={onCreate}>Create Token</Button>
          </May>
        }
      />
    )
  }
  const isMatch = matcher(text)
  const found = tokens
    .filter(isShown)
    .filter(({ name, tokenId, ipAddress, clientIpAddress, domain, osType }) =>
      isMatch(name, tokenId, ipAddress, clientIpAddress, domain, osType),
    )
  if (found.length === 0) return <EmptyState icon={KeyRound} title="No token matches" />
  return (
    <LongTable label="All Tokens" columns={TOKEN_COLUMNS} rows={found} rowKey={({ id }) => id} />
  )
}
