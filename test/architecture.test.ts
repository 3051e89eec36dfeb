import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const MAX_LINES = 300

const sources = ['src', 'test', 'e2e', 'bench']
  .flatMap((folder) => filesIn(join(ROOT, folder)))
  .map((file) => relative(ROOT, file))

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|css)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

type Import = { from: string; to: string; isTypeOnly: boolean }

/** Imports of one file: ours as a path from the root, others as the package's name. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const found = text.matchAll(
    /^\s*(?:import|export)(\s+type)?\b[^'"]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|^\s*import\s+['"]([^'"]+)['"]/gm,
  )
  return [...found].map((match) => {
    const specifier = match[2] ?? match[3] ?? match[4] ?? ''
    return { from: file, to: target(file, specifier), isTypeOnly: match[1] !== undefined }
  })
}

function target(file: string, specifier: string): string {
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}`
  if (specifier.startsWith('.')) return join(dirname(file), specifier)
  const [scope, name] = specifier.split('/')
  return specifier.startsWith('@') ? `${scope}/${name}` : (scope ?? specifier)
}

const isTest = (file: string) => /\.test\.tsx?$|\/testing\//.test(file)
const production = sources.filter((file) => file.startsWith('src/') && !isTest(file))
const imports = production.filter((file) => !file.endsWith('.css')).flatMap(importsOf)
const room = (path: string) => /^src\/([^/]+)\//.exec(path)?.[1]

describe('the dependency rule', () => {
  test('is checked against existing files', () => {
    expect(imports.length).toBeGreaterThan(200)
  })

  const ROOMS: Record<string, { rooms: string[]; packages: RegExp | undefined }> = {
    shared: { rooms: [], packages: /^zod$/ },
    proxmox: { rooms: [], packages: /^(zod|undici|ws|node:.*)$/ },
    'pve-sim': { rooms: [], packages: /^(ws|node:.*)$/ },
    web: { rooms: ['shared'], packages: undefined },
    cli: { rooms: ['shared'], packages: /^node:/ },
    server: { rooms: ['shared', 'proxmox'], packages: undefined },
  }

  test.each(Object.entries(ROOMS))('%s imports only what it may', (name, allowed) => {
    const breaches = imports
      .filter(({ from }) => room(from) === name)
      .filter(({ from, to }) => {
        const other = room(to)
        if (other === name) return false
        if (other === 'pve-sim' && from === 'src/server/main.ts') return false
        // A file format, and nothing of the product.
        if (name === 'pve-sim' && to.startsWith('src/shared/iso/')) return false
        if (other !== undefined) return !allowed.rooms.includes(other)
        return allowed.packages !== undefined && !allowed.packages.test(to)
      })
    expect(breaches).toEqual([])
  })

  test('only hypervisor/ imports proxmox', () => {
    const breaches = imports.filter(
      ({ from, to }) =>
        room(from) === 'server' &&
        room(to) === 'proxmox' &&
        !from.startsWith('src/server/hypervisor/'),
    )
    expect(breaches).toEqual([])
  })

  test('only routes, http, app and the start import fastify', () => {
    const breaches = imports.filter(
      ({ from, to, isTypeOnly }) =>
        /^(fastify$|@fastify\/)/.test(to) &&
        !/\.routes\.ts$|^src\/server\/http\/|^src\/server\/(app|start)\.ts$/.test(from) &&
        !(isTypeOnly && from === 'src/server/lib/log.ts'),
    )
    expect(breaches).toEqual([])
  })

  test('http/ imports no feature, and no feature imports another', () => {
    const feature = (path: string) => /^src\/(?:server|web)\/features\/([^/]+)/.exec(path)?.[1]
    const breaches = imports.filter(({ from, to }) => {
      const other = feature(to)
      if (other === undefined) return false
      if (from.startsWith('src/server/http/')) return true
      const own = feature(from)
      return own !== undefined && own !== other
    })
    expect(breaches).toEqual([])
  })

  test("only move-token.ts writes a token's status, only orders.ts an order's", () => {
    const OWNERS = {
      tokens: 'src/server/tokens/move-token.ts',
      orders: 'src/server/orders/orders.ts',
    }
    const writesOf = (table: string, file: string) =>
      [
        ...readFileSync(join(ROOT, file), 'utf8').matchAll(
          new RegExp(`\\.update\\(${table}\\)\\s*\\.set\\(([^)]*)\\)`, 'g'),
        ),
      ].filter(([, values = '']) => /\bstatus\b/.test(values))
    for (const [table, owner] of Object.entries(OWNERS)) {
      const writers = production.filter((file) => writesOf(table, file).length > 0)
      expect(writers, table).toEqual([owner])
    }
  })

  const LAYERS: Record<string, string[]> = {
    ui: ['ui'],
    lib: ['lib'],
    api: ['lib', 'api'],
    widgets: ['widgets', 'ui', 'lib', 'api'],
    features: ['features', 'widgets', 'ui', 'lib', 'api'],
    layout: ['layout', 'widgets', 'ui', 'lib', 'api'],
  }

  test.each(Object.entries(LAYERS))('web/%s imports only what it may', (layer, allowed) => {
    const layerOf = (path: string) => /^src\/web\/([^/]+)\//.exec(path)?.[1]
    const breaches = imports.filter(
      ({ from, to }) =>
        layerOf(from) === layer &&
        to.startsWith('src/web/') &&
        !allowed.includes(layerOf(to) ?? ''),
    )
    expect(breaches).toEqual([])
  })
})

describe('the shape of the source tree', () => {
  test('no folder imports, directly or indirectly, a folder that imports it; types count', () => {
    const edges = Map.groupBy(
      imports.filter(({ from, to }) => to.startsWith('src/') && dirname(from) !== dirname(to)),
      ({ from }) => dirname(from),
    )
    expect(cyclesIn((folder) => edges.get(folder)?.map(({ to }) => dirname(to)) ?? [])).toEqual([])
  })

  test('no file imports, directly or indirectly, a file that imports it; types count', () => {
    const edges = Map.groupBy(imports, ({ from }) => from)
    expect(cyclesIn((file) => edges.get(file)?.map(({ to }) => to) ?? [])).toEqual([])
  })

  const folders = Map.groupBy(
    sources.filter((file) => /^src\/.*\.tsx?$/.test(file) && !file.includes('/testing/')),
    dirname,
  )

  test('a folder has at most 15 files and their tests', () => {
    const beside = sources.filter((file) => /^(e2e|test|bench)\/.*\.ts$/.test(file))
    const full = [...folders, ...Map.groupBy(beside, dirname)]
      .map(([folder, files]) => ({ folder, files: files.filter((file) => !isTest(file)).length }))
      .filter(({ files }) => files > 15)
    expect(full).toEqual([])
  })

  test('a folder has three files or more, unless it is a noun or the top of a room', () => {
    const isNoun = (folder: string) => folder.startsWith('src/server/features/')
    const TOPS = ['src/shared', 'src/shared/api']
    const few = [...folders]
      .filter(([folder, files]) => files.length < 3 && !isNoun(folder) && !TOPS.includes(folder))
      .map(([folder]) => folder)
    expect(few).toEqual([])
  })

  test('the server is composed by name: no spread decides what a part is given', () => {
    for (const file of ['app', 'parts', 'schedule']) {
      expect(readFileSync(join(ROOT, `src/server/${file}.ts`), 'utf8')).not.toMatch(/\.\.\.\w/)
    }
  })
})

/** Every path that leads back to its start, found depth first. */
function cyclesIn(next: (node: string) => string[]): string[][] {
  const done = new Set<string>()
  const cycles: string[][] = []
  const walk = (node: string, path: string[]) => {
    if (path.includes(node)) cycles.push([...path.slice(path.indexOf(node)), node])
    if (path.includes(node) || done.has(node)) return
    for (const other of new Set(next(node))) walk(other, [...path, node])
    done.add(node)
  }
  for (const file of production) {
    walk(file, [])
    walk(dirname(file), [])
  }
  return cycles
}

test('no file is longer than 300 lines', () => {
  const long = sources
    .map((file) => ({ file, lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES)
  expect(long).toEqual([])
})

test('no test gives toMatchObject a regular expression: it would match every text', () => {
  const given = sources
    .filter((file) => /\.(test|e2e)\.tsx?$|\/testing\//.test(file))
    .filter((file) =>
      /toMatchObject\((?:[^()]|\([^()]*\))*?[:[,]\s*\/[^/*\n]+\/[a-z]*\s*[,}\]]/.test(
        readFileSync(join(ROOT, file), 'utf8'),
      ),
    )
  expect(given).toEqual([])
})

test('nothing changes the environment of its own process: whatever it starts later gets it too', () => {
  const found = sources.filter((file) =>
    /process\.env(\.\w+|\[[^\]]+\])\s*(\?\?|\|\|)?=[^=]|delete process\.env/.test(
      readFileSync(join(ROOT, file), 'utf8'),
    ),
  )
  expect(found).toEqual([])
})

test('no server code starts programs or builds code from text', () => {
  const banned = /node:child_process|node:vm|\beval\(|new Function\(/
  const found = production.filter(
    (file) => file.startsWith('src/server/') && banned.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  expect(found).toEqual([])
})
