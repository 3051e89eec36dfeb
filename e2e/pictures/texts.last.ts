import { expect, test } from '@playwright/test'
import { SPECIFIED_TEXTS } from '../../test/spec-texts.ts'
import { readSeenTexts } from './seen-texts.ts'

// Runs after all other tests: every text that the specification gives word for word was shown in
// one of them.
for (const [where, texts] of Object.entries(SPECIFIED_TEXTS)) {
  test(`the specified texts were seen: ${where}`, () => {
    const seen = readSeenTexts()
    expect(texts.filter((text) => !seen.some((line) => line.includes(text)))).toEqual([])
  })
}
