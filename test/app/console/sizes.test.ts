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
      const code = new TextDecoder().decode(await file.bytes())
      await follow(code, /(?:from|import)\s*["']\/console\/assets\/([\w-]+\.js)["']/g)
    }
  }
  await follow(text, /["']\/console\/assets\/([\w-]+\.(?:js|css))["']/g)
  return found
}

async function gzipped(names: Iterable<string>): Promise<number> {
  const sizes = [...names].map(
    async (name) => (await built.files.get(name)?.bytes('gzip'))?.length ?? 0,
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

test('the sign-in is at most 120 kB, compressed', async () => {
  const size = await gzipped(await loadedBy(built.outside))
  expect(size).toBeGreaterThan(60_000)
  expect(size).toBeLessThan(120_000)
})

test('what each page of the console needs is at most 250 kB, compressed', async () => {
  const size = await gzipped(await loadedBy(built.inside))
  expect(size).toBeGreaterThan(150_000)
  expect(size).toBeLessThan(250_000)
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
    for (const name of names.match(/\b[A-Z]\w+/g) ?? []) {
      const style = `@mantine/core/styles/${name}.css`
      const hasStyle = await Bun.file(join(folder, '../../node_modules', style)).exists()
      if (hasStyle && !styles.includes(style)) missing.push(`${path}: ${name}`)
    }
  }
  expect(missing).toEqual([])
})
