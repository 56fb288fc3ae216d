import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import insidePage from '../../console/index.html'
import outsidePage from '../../console/outside.html'

export interface ConsoleFile {
  readonly name: string
  readonly contentType: string
  bytes(): Promise<Uint8Array<ArrayBuffer>>
}

export interface ConsoleBundle {
  /** The page of who is signed in, and that of who is not. */
  readonly inside: string
  readonly outside: string
  readonly files: ReadonlyMap<string, ConsoleFile>
}

/** What a compiled program imports for a page: the places of its files. */
const Manifest = Type.Object({
  index: Type.String(),
  files: Type.Array(
    Type.Object({ path: Type.String(), headers: Type.Object({ 'content-type': Type.String() }) }),
  ),
})
type Manifest = Static<typeof Manifest>

/** The files of the console below `base`: built into the program, or built now from source. */
export async function bundledFiles(base: string): Promise<ConsoleBundle> {
  const inside: unknown = insidePage
  const outside: unknown = outsidePage
  const isBuilt = Value.Check(Manifest, inside) && Value.Check(Manifest, outside)
  return isBuilt ? embedded(base, { inside, outside }) : fromSource(base)
}

interface Pages<Page> {
  readonly inside: Page
  readonly outside: Page
}

async function embedded(
  base: string,
  { inside, outside }: Pages<Manifest>,
): Promise<ConsoleBundle> {
  const files = [...inside.files, ...outside.files].map(({ path, headers }) => ({
    name: basename(path),
    contentType: headers['content-type'],
    bytes: () => Bun.file(path).bytes(),
  }))
  const texts = [inside, outside].map(({ index }) => Bun.file(index).text())
  const [insideText = '', outsideText = ''] = await Promise.all(texts)
  return bundleOf(base, { inside: insideText, outside: outsideText }, files)
}

/** Builds the console as `compile.sh` does. */
export const buildConsole = (environment: 'production' | 'development' = 'production') =>
  Bun.build({
    entrypoints: ['index.html', 'outside.html'].map((name) =>
      fileURLToPath(new URL(`../../console/${name}`, import.meta.url)),
    ),
    minify: true,
    splitting: true,
    define: { 'process.env.NODE_ENV': JSON.stringify(environment) },
  })

async function fromSource(base: string): Promise<ConsoleBundle> {
  const { outputs } = await buildConsole()
  const textOf = (name: string) =>
    outputs.find(({ path }) => basename(path) === name)?.text() ?? Promise.resolve('')
  const files = outputs.map((output) => ({
    name: basename(output.path),
    contentType: output.type,
    bytes: async () => new Uint8Array(await output.arrayBuffer()),
  }))
  const [inside, outside] = await Promise.all([textOf('index.html'), textOf('outside.html')])
  return bundleOf(base, { inside, outside }, files)
}

/** The bundle with all names below `base`: the bundler uses absolute or relative names. */
function bundleOf(
  base: string,
  { inside, outside }: Pages<string>,
  files: readonly ConsoleFile[],
): ConsoleBundle {
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
  return {
    inside: place(inside),
    outside: place(outside),
    files: new Map(placed.map((file) => [file.name, file])),
  }
}
