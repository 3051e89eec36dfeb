/**
 * uPlot formats numbers in `navigator.language` as it is loaded. Some systems report a language
 * that Intl refuses (en-US@posix), and nothing would be drawn at all.
 */
export function knownLanguage(browser: { readonly language: string }): void {
  try {
    Intl.getCanonicalLocales(browser.language)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // The language of all our own figures.
    Object.defineProperty(browser, 'language', { value: 'en-US', configurable: true })
  }
}
