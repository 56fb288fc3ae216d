import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { Elysia } from 'elysia'
import consolePage from '../../console/index.html'
import { pageNotFound } from '../../gateway/errors.ts'
import { isGzipAccepted } from '../../lib/connections.ts'

/** Path of the page's files; the bundler puts a hash of the content into each name. */
const assetPath = '/console/assets/'
const compress = promisify(gzip)

const forever = 'public, max-age=31536000, immutable'

/** Content security policy of the page. The component library writes styles with a nonce. */
const policy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The console's page and its files, compressed when first requested. */
export async function createConsoleFiles() {
  const { page, files } = await bundledFiles(assetPath)
  const compressed = new Map<string, Promise<Uint8Array>>()

  async function serve(file: ConsoleFile, request: Request): Promise<Response> {
    const headers = new Headers({
      'content-type': file.contentType,
      'cache-control': forever,
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    })
    if (!isGzipAccepted(request)) {
      return new Response(await file.bytes(), { headers })
    }
    const pack = async () => compress(await file.bytes(), { level: 9 })
    const bytes = compressed.getOrInsertComputed(file.name, pack)
    headers.set('content-encoding', 'gzip')
    return new Response(await bytes, { headers })
  }

  /** Every path below the console is the same page: the browser decides what it shows. */
  function servePage(): Response {
    const nonce = crypto.randomUUID()
    const html = page.replace('<head>', `<head><meta name="csp-nonce" content="${nonce}">`)
    return new Response(html, {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': policy(nonce),
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      },
    })
  }

  const routes = new Elysia({ name: 'console.files' })
    .get('/console', servePage)
    .get('/console/', servePage)
    .get('/console/:a', servePage)
    .get('/console/:a/:b', servePage)
    .get('/console/:a/:b/:c', servePage)
    .get(`${assetPath}:file`, ({ params, request }) => {
      const file = files.get(params.file)
      return file ? serve(file, request) : pageNotFound()
    })
  return { routes }
}

interface ConsoleFile {
  readonly name: string
  readonly contentType: string
  bytes(): Promise<Uint8Array>
}

interface ConsoleBundle {
  readonly page: string
  readonly files: ReadonlyMap<string, ConsoleFile>
}

/** What a compiled program imports for a page: the places of its files. */
const Manifest = Type.Object({
  index: Type.String(),
  files: Type.Array(
    Type.Object({ path: Type.String(), headers: Type.Object({ 'content-type': Type.String() }) }),
  ),
})

/** The files of the console below `base`: built into the program, or built now from source. */
async function bundledFiles(base: string): Promise<ConsoleBundle> {
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

/** The bundle with all names below `base`: the bundler uses absolute or relative names. */
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
