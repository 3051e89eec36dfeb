/** The keyboards a text can be typed on. The keys themselves are in `layout-keys.ts`. */
export const LAYOUTS = [
  { id: 'us', label: 'English (US)' },
  { id: 'gb', label: 'English (UK)' },
  { id: 'de', label: 'German' },
  { id: 'fr', label: 'French' },
] as const
export type LayoutId = (typeof LAYOUTS)[number]['id']

/** The most likely keyboard for this browser language. */
export function likelyLayout(language: string): LayoutId {
  if (/^en-(GB|IE)/i.test(language)) return 'gb'
  const [main = ''] = language.toLowerCase().split('-')
  return main === 'de' || main === 'fr' ? main : 'us'
}
