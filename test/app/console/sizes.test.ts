import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleFromSource } from '../../../src/app/console/bundle.ts'
import { packBundle, unpackBundle } from '../../../src/app/console/pack.ts'

// What a browser loads of the console, compressed.

const built = await bundleFromSource({ brotliQuality: 5 })

/** The files that a text names, and those that they import in turn before anything runs. */
async function loadedBy(text: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const follow = async (source: string, names: RegExp) => {
    for (const [, name = ''] of source.matchAll(names)) {
      const file = built.files.get(name)
      if (!file || found.has(name)) continue
      found.add(name)
      if (!name.endsWith('.js')) continue
      const code = await codeOf(name)
      await follow(code, /(?:from|import)\s*["']\/console\/assets\/([\w-]+\.js)["']/g)
    }
  }
  await follow(text, /["']\/console\/assets\/([\w-]+\.(?:js|css))["']/g)
  return found
}

/** Each file is read and compressed once. */
const once = <Value>(read: (name: string) => Promise<Value>) => {
  const known = new Map<string, Promise<Value>>()
  return (name: string) => known.getOrInsertComputed(name, read)
}

const sizeOf = once(async (name) => (await built.files.get(name)?.bytes('gzip'))?.length ?? 0)
const codeOf = once(async (name) => new TextDecoder().decode(await built.files.get(name)?.bytes()))

async function gzipped(names: Iterable<string>): Promise<number> {
  const sizes = await Promise.all([...names].map(sizeOf))
  return sizes.reduce((sum, size) => sum + size, 0)
}

test('the sign-in is at most 120 kB, compressed', async () => {
  const size = await gzipped(await loadedBy(built.outside))
  expect(size).toBeGreaterThan(60_000)
  expect(size).toBeLessThan(120_000)
})

/** The file of each page, by the page's path, as the router has them. */
async function pages(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const name of await loadedBy(built.inside)) {
    if (!name.endsWith('.js')) continue
    const routes =
      /"(\/[^"]*)",\(\)=>(?:\([^;]{0,60}?)?import\("\/console\/assets\/([\w-]+\.js)"\)/g
    for (const [, path = '', file = ''] of (await codeOf(name)).matchAll(routes))
      found.set(path, file)
  }
  return found
}

/** What a page shows at once although it is loaded by itself: charts, by a word of their code. */
const charts = 'u-legend'

test('what a page of the console needs at first is at most 250 kB, compressed', async () => {
  const found = await pages()
  expect(found.size).toBeGreaterThan(20)
  const base = await loadedBy(built.inside)
  const sizes: Record<string, number> = {}
  for (const [path, file] of found) {
    const needed = new Set([...base, ...(await loadedBy(`"/console/assets/${file}"`))])
    for (const name of [...needed]) {
      for (const [, later = ''] of (await codeOf(name)).matchAll(
        /import\("\/console\/assets\/([\w-]+\.js)"\)/g,
      )) {
        if (![...found.values()].includes(later) && (await codeOf(later)).includes(charts))
          needed.add(later)
      }
    }
    sizes[path] = await gzipped(needed)
  }
  expect(sizes['/']).toBeGreaterThan((sizes['/balance'] ?? 0) + 10_000)
  expect(Object.entries(sizes).filter(([, size]) => size > 250_000 || size < 150_000)).toEqual([])
})

test('styles are without what is for browsers and languages that are none of ours', async () => {
  for (const [name, file] of built.files) {
    if (!name.endsWith('.css')) continue
    const css = new TextDecoder().decode(await file.bytes())
    expect(css).not.toMatch(/:-webkit-any|:-moz-any|:lang\(ae\)|--mantine-color-grape/)
    expect(css.split('{').length).toBe(css.split('}').length)
  }
})

test('the console uses nothing that its build leaves out', async () => {
  const folder = join(import.meta.dir, '../../../src/console')
  const using: string[] = []
  for await (const path of new Bun.Glob('**/*.tsx').scan(folder)) {
    if (readFileSync(join(folder, path), 'utf8').includes('Table.ScrollContainer')) using.push(path)
  }
  expect(using).toEqual([])
})

test('packed into the program, each file is the same in each coding', async () => {
  const unpacked = await unpackBundle(await packBundle(built))
  expect([unpacked.inside, unpacked.outside]).toEqual([built.inside, built.outside])
  for (const [name, file] of built.files) {
    const bytes = Buffer.from(await file.bytes())
    const other = unpacked.files.get(name)
    expect(other?.contentType).toBe(file.contentType)
    expect(Buffer.from((await other?.bytes()) ?? []).equals(bytes)).toBe(true)
    const br = (await other?.bytes('br')) ?? new Uint8Array()
    expect(Buffer.from(Bun.gunzipSync((await other?.bytes('gzip')) ?? br)).equals(bytes)).toBe(true)
    expect(br.length).toBeLessThan(bytes.length + 20)
  }
})

test('each component that the console uses has its styles', async () => {
  const folder = join(import.meta.dir, '../../../src/console')
  const styles = readFileSync(join(folder, 'mantine.css'), 'utf8')
  const missing: string[] = []
  for await (const path of new Bun.Glob('**/*.tsx').scan(folder)) {
    const code = readFileSync(join(folder, path), 'utf8')
    const [, names = ''] = /import \{([^}]*)\} from '@mantine\/core'/.exec(code) ?? []
    const own: readonly string[] = names.match(/\b[A-Z]\w+/g) ?? []
    // Radio.Card has a file of its own, RadioCard.
    const parts = [...code.matchAll(/<([A-Z]\w+)\.([A-Z]\w+)/g)]
      .filter(([, of = '']) => own.includes(of))
      .map(([, of, part]) => `${of}${part}`)
    for (const name of [...own, ...parts]) {
      const style = `@mantine/core/styles/${name}.css`
      const hasStyle = await Bun.file(join(folder, '../../node_modules', style)).exists()
      if (hasStyle && !styles.includes(style)) missing.push(`${path}: ${name}`)
    }
  }
  expect(missing).toEqual([])
})
