import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import consolePage from '../../console/index.html'

/** A file that the console's page loads. */
export interface ConsoleFile {
  readonly name: string
  readonly contentType: string
  bytes(): Promise<Uint8Array>
}

export interface ConsoleBundle {
  readonly page: string
  /** By name. */
  readonly files: ReadonlyMap<string, ConsoleFile>
}

/** What an import of a page is in a compiled program: where its files are. */
const Manifest = Type.Object({
  index: Type.String(),
  files: Type.Array(
    Type.Object({ path: Type.String(), headers: Type.Object({ 'content-type': Type.String() }) }),
  ),
})

/**
 * The console as it was built into the program; from source it is built when it is asked for. All its
 * files are below `base`.
 */
export async function bundledFiles(base: string): Promise<ConsoleBundle> {
  const imported: unknown = consolePage
  return Value.Check(Manifest, imported) ? embedded(base, imported) : fromSource(base)
}

async function embedded(
  base: string,
  { index, files }: Static<typeof Manifest>,
): Promise<ConsoleBundle> {
  const all = files.map(({ path, headers }) => ({
    name: basename(path),
    contentType: headers['content-type'],
    bytes: () => Bun.file(path).bytes(),
  }))
  return bundleOf(base, await Bun.file(index).text(), all)
}

async function fromSource(base: string): Promise<ConsoleBundle> {
  const page = fileURLToPath(new URL('../../console/index.html', import.meta.url))
  const { outputs } = await Bun.build({
    entrypoints: [page],
    minify: true,
    splitting: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const html = outputs.find(({ path }) => path.endsWith('.html'))
  const files = outputs.map((output) => ({
    name: basename(output.path),
    contentType: output.type,
    bytes: async () => new Uint8Array(await output.arrayBuffer()),
  }))
  return bundleOf(base, (await html?.text()) ?? '', files)
}

/**
 * The bundler names files from the root or beside the page, as it likes; here all names begin with
 * `base`.
 */
function bundleOf(base: string, html: string, files: readonly ConsoleFile[]): ConsoleBundle {
  const names = new Set(files.map(({ name }) => name))
  const place = (text: string) =>
    text.replace(/(["'`])\.?\/([\w-]+\.(?:js|css))\1/g, (found, quote: string, name: string) =>
      names.has(name) ? `${quote}${base}${name}${quote}` : found,
    )
  const placed = files.map((file) => ({
    ...file,
    bytes: async () => {
      const bytes = await file.bytes()
      if (!file.name.endsWith('.js')) return bytes
      return new TextEncoder().encode(place(new TextDecoder().decode(bytes)))
    },
  }))
  return { page: place(html), files: new Map(placed.map((file) => [file.name, file])) }
}
