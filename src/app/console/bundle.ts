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
  /** The page, with its files below `base`. */
  page(base: string): string
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

/** The console as it was built into the program; from source it is built when it is asked for. */
export async function bundledFiles(): Promise<ConsoleBundle> {
  const imported: unknown = consolePage
  return Value.Check(Manifest, imported) ? embedded(imported) : fromSource()
}

async function embedded({ index, files }: Static<typeof Manifest>): Promise<ConsoleBundle> {
  const all = files.map(({ path, headers }) => ({
    name: basename(path),
    contentType: headers['content-type'],
    bytes: () => Bun.file(path).bytes(),
  }))
  return bundleOf(await Bun.file(index).text(), all)
}

async function fromSource(): Promise<ConsoleBundle> {
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
  return bundleOf((await html?.text()) ?? '', files)
}

/** The bundler names files from the root, or beside the page. */
const bundleOf = (html: string, files: readonly ConsoleFile[]): ConsoleBundle => ({
  page: (base) => html.replace(/(src|href)="\.?\//g, `$1="${base}`),
  files: new Map(files.map((file) => [file.name, file])),
})
