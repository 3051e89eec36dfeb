import { readdirSync, readFileSync } from 'node:fs'
import { chromium } from '@playwright/test'
import { chromiumPath, QUIET } from './e2e/browser.ts'
const [filter, width, from, count, out] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4]), Number(process.argv[5]), process.argv[6]]
const names = readdirSync('shots').filter((n) => new RegExp(filter).test(n)).sort().slice(from, from + count)
const browser = await chromium.launch({ executablePath: await chromiumPath(), args: QUIET })
const page = await browser.newPage({ viewport: { width: 1560, height: 1540 } })
const html = names.map((n) => `<figure style="margin:4px;width:${width}px"><figcaption style="font:11px sans-serif;overflow:hidden">${n}</figcaption><img style="width:${width}px;max-height:${process.argv[7] ?? 480}px;object-fit:cover;object-position:top" src="data:image/png;base64,${readFileSync('shots/' + n).toString('base64')}"></figure>`).join('')
await page.setContent(`<body style="margin:0;background:#888;display:flex;flex-wrap:wrap;align-items:flex-start">${html}</body>`)
await page.screenshot({ path: out })
await browser.close()
console.log(names.length)
