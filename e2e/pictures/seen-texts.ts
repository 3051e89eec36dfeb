import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BrowserContext } from '@playwright/test'

/** Playwright empties this folder at the start of each run. */
const FOLDER = resolve(import.meta.dirname, '../../test-results/seen-texts')

declare global {
  interface Window {
    noteTexts?: (texts: string[]) => Promise<void>
  }
}

/** Records every text that a page of this context shows, for the check at the end of the run. */
export async function recordTexts(context: BrowserContext): Promise<void> {
  const known = new Set<string>()
  mkdirSync(FOLDER, { recursive: true })
  await context.exposeBinding('noteTexts', (_, texts: string[]) => {
    const news = texts.filter((text) => !known.has(text))
    for (const text of news) known.add(text)
    const lines = news.map((text) => `${text}\n`).join('')
    if (lines) appendFileSync(join(FOLDER, `${process.pid}.txt`), lines)
  })
  await context.addInitScript(watchTexts)
}

/** Every text shown since the run began, one per line. */
export function readSeenTexts(): string[] {
  if (!existsSync(FOLDER)) return []
  const files = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), 'utf8'))
  return [...new Set(files.flatMap((text) => text.split('\n')))]
}

/** Runs in the page. A text counts when its element is visible, as a whole: React splits it. */
function watchTexts(): void {
  const seen = new Set<string>()
  let waiting: string[] = []

  function note(element: Element | null) {
    // A countdown shows a new text every second.
    if (!element?.checkVisibility() || element.closest('[role=timer]')) return
    const text = (element.textContent ?? '').replace(/\s+/g, ' ').trim()
    if (text === '' || text.length > 400 || seen.has(text)) return
    seen.add(text)
    if (waiting.length === 0) queueMicrotask(flush)
    waiting.push(text)
  }

  function flush() {
    void window.noteTexts?.(waiting)
    waiting = []
  }

  function look(node: Node) {
    if (node instanceof Text) return note(node.parentElement)
    const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) note(texts.currentNode.parentElement)
  }

  const observer = new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === 'characterData') look(target)
      for (const node of addedNodes) look(node)
    }
  })
  observer.observe(document, { subtree: true, childList: true, characterData: true })
}
