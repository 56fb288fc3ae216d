import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Coding } from '../../lib/accepted-coding.ts'
import { once } from '../../lib/once.ts'
import { lighter, lighterStyles } from './lighter.ts'
import { unpackBundle } from './pack.ts'

export interface ConsoleFile {
  readonly name: string
  readonly contentType: string
  /** What it holds, in a coding; without one as it is. */
  bytes(coding?: Coding): Promise<Uint8Array<ArrayBuffer>>
}

export interface ConsoleBundle {
  /** The page of who is signed in, and that of who is not. */
  readonly inside: string
  readonly outside: string
  readonly files: ReadonlyMap<string, ConsoleFile>
}

/** Path of the pages' files; the bundler puts a hash of the content into each name. */
export const assetPath = '/console/assets/'

/** The files of the console: packed into the program, or built from source, once in a process. */
export async function bundledFiles(): Promise<ConsoleBundle> {
  const pack = Bun.embeddedFiles.find((file) => 'name' in file && isPack(String(file.name)))
  return pack ? unpackBundle(pack) : builtFiles()
}

const builtFiles = once(() => bundleFromSource({ brotliQuality: 5, hasParts: true }))

const isPack = (name: string) => /^console-\w+\.pack$/.test(name)

/** The two pages of the console with their files, as browsers get them. `hasParts`: with the page of all parts. */
export const buildConsole = (hasParts = false) =>
  Bun.build({
    entrypoints: ['index.html', 'outside.html'].map((name) =>
      fileURLToPath(new URL(`../../console/${name}`, import.meta.url)),
    ),
    minify: true,
    splitting: true,
    minChunkSize: 16_384,
    plugins: [lighter],
    define: {
      'process.env.NODE_ENV': '"production"',
      'process.env.TOLLGATE_PARTS': JSON.stringify(String(hasParts)),
    },
    metafile: true,
  })

/** Builds the console. `brotliQuality`: 11 takes seconds, and is for what is kept. */
export async function bundleFromSource(options: {
  readonly brotliQuality: number
  readonly hasParts?: boolean
}): Promise<ConsoleBundle> {
  const { outputs } = await buildConsole(options.hasParts)
  const names = new Set(outputs.map(({ path }) => basename(path)))
  const pageOf = async (name: string) =>
    placed((await outputs.find(({ path }) => basename(path) === name)?.text()) ?? '', names)
  const files = outputs
    .filter(({ path }) => !path.endsWith('.html'))
    .map((output): ConsoleFile => {
      const read = once(async () =>
        new TextEncoder().encode(
          output.path.endsWith('.js')
            ? placed(await output.text(), names)
            : lighterStyles(await output.text()),
        ),
      )
      const coded = {
        br: once(async () => compressBrotli(await read(), options.brotliQuality)),
        gzip: once(async () => compressGzip(await read())),
      }
      return {
        name: basename(output.path),
        contentType: output.type,
        bytes: (coding) => (coding === undefined ? read() : coded[coding]()),
      }
    })
  const [inside, outside] = await Promise.all([pageOf('index.html'), pageOf('outside.html')])
  return { inside, outside, files: new Map(files.map((file) => [file.name, file])) }
}

/** All names of files below `assetPath`: the bundler uses absolute or relative names. */
const placed = (text: string, names: ReadonlySet<string>) =>
  text.replace(/(["'`])\.?\/([\w-]+\.(?:js|css))\1/g, (found, quote: string, name: string) =>
    names.has(name) ? `${quote}${assetPath}${name}${quote}` : found,
  )

const compressGzip = async (bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await promisify(gzip)(bytes, { level: 9 }))

async function compressBrotli(
  bytes: Uint8Array,
  quality: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return new Uint8Array(await promisify(brotliCompress)(bytes, { params }))
}
