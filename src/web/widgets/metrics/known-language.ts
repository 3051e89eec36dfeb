/**
 * uPlot asks for numbers in `navigator.language` as it is loaded. Some systems call themselves
 * something Intl refuses (en-US@posix), and nothing would be drawn at all.
 */
export function knownLanguage(browser: { readonly language: string }): void {
  try {
    Intl.getCanonicalLocales(browser.language)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // What all our own figures are written in.
    Object.defineProperty(browser, 'language', { value: 'en-US', configurable: true })
  }
}
