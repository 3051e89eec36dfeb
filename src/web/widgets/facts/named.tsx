/** What something is in words, and by the name that programs use. */
export function Named({ words, name }: { words: string; name: string }) {
  return (
    <>
      {words} <span className="font-mono text-ink-soft text-xs">{name}</span>
    </>
  )
}
