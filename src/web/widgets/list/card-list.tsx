import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { FirstFew } from './first-few.tsx'
import { ListState } from './list-state.tsx'

type CardListProps<Item> = {
  query: UseQueryResult<Item[]>
  /** What could not be loaded, as a sentence. */
  failure: string
  /** Shown in place of an empty list. */
  empty: ReactNode
  /** One item, as an `li` with its key. */
  children: (item: Item) => ReactNode
}

/** A list that fills a card: its beginning, the rest on request. */
export function CardList<Item>({ query, failure, empty, children }: CardListProps<Item>) {
  return (
    <ListState query={query} failure={failure}>
      {(list) =>
        list.length === 0 ? (
          empty
        ) : (
          <FirstFew items={list}>
            {(shown) => <ul className="divide-y px-5">{shown.map(children)}</ul>}
          </FirstFew>
        )
      }
    </ListState>
  )
}
