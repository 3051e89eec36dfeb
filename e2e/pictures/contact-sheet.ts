// Makes the pictures of the documents from those in shots/: one sheet of all screens, three for the
// README.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import { chromiumPath, QUIET } from '../house/browser.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const SHOTS = join(ROOT, 'shots')
const COLUMNS = 8
const TILE = { width: 180, height: 130 }
const GAP = 8
const README = {
  landing: 'visitor-landing-light-1440.png',
  'my-vps': 'customer-dashboard-dark-1440.png',
  cluster: 'admin-instances-light-1440.png',
}

/** A page of these pictures, rendered and saved as WebP: PNG is four times as large. */
async function draw(
  browser: Browser,
  file: string,
  size: { width: number; height: number },
  html: string,
): Promise<void> {
  const page = await browser.newPage({ viewport: size })
  await page.setContent(`<body style="margin:0;background:#e9e7e2">${html}</body>`)
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70 })
  writeFileSync(join(ROOT, file), Buffer.from(data, 'base64'))
  await page.close()
}

const image = (name: string, style: string) =>
  `<img style="${style}" src="data:image/png;base64,${readFileSync(join(SHOTS, name)).toString('base64')}">`

const names = readdirSync(SHOTS)
  .filter((name) => name.endsWith('-1440.png'))
  .sort()
const rows = Math.ceil(names.length / COLUMNS)
const tiles = names.map((name) =>
  image(
    name,
    `width:${TILE.width}px;height:${TILE.height}px;object-fit:cover;object-position:top;display:block`,
  ),
)
mkdirSync(join(ROOT, 'docs/images'), { recursive: true })
const browser = await chromium.launch({ executablePath: chromiumPath(), args: QUIET })
try {
  await draw(
    browser,
    'docs/screens.webp',
    {
      width: COLUMNS * (TILE.width + GAP) + GAP,
      height: rows * (TILE.height + GAP) + GAP,
    },
    `<div style="display:grid;grid-template-columns:repeat(${COLUMNS},${TILE.width}px);gap:${GAP}px;padding:${GAP}px">${tiles.join('')}</div>`,
  )
  for (const [name, shot] of Object.entries(README)) {
    await draw(
      browser,
      `docs/images/${name}.webp`,
      { width: 1200, height: 750 },
      image(shot, 'width:1200px;display:block'),
    )
  }
} finally {
  await browser.close()
}
