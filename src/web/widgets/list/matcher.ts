/** Whether every word of a search occurs in these texts. */
export function matcher(search: string) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return (...texts: readonly (string | number | null | undefined)[]): boolean => {
    if (words.length === 0) return true
    const haystack = texts.join(' ').toLowerCase()
    return words.every((word) => haystack.includes(word))
  }
}
