import { useSearchParams } from 'wouter'

/** One part of the page's state, kept in its address; the fallback is not written there. */
export function useSearchParam(
  name: string,
  fallback = '',
): [value: string, set: (value: string) => void] {
  const [search, setSearch] = useSearchParams()
  const set = (value: string) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        if (value === fallback) next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  return [search.get(name) ?? fallback, set]
}
