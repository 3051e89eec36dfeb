import { expect, test } from '@playwright/test'
import { SPECIFIED_TEXTS } from '../test/spec-texts.ts'
import { readSeenTexts } from './seen-texts.ts'

// After all other tests: what the specification says word for word was on the screen in one of them.
for (const [where, texts] of Object.entries(SPECIFIED_TEXTS)) {
  test(`the specified texts were seen: ${where}`, () => {
    const seen = readSeenTexts()
    expect(texts.filter((text) => !seen.some((line) => line.includes(text)))).toEqual([])
  })
}
