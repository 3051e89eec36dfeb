import chromium from '@sparticuz/chromium'

/** Unpacks the packaged Chromium into the temporary folder of this process. */
await chromium.executablePath()
