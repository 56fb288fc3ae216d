import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Elysia } from 'elysia'
import { pageNotFound } from '../../gateway/errors.ts'
import { isGzipAccepted } from '../../lib/connections.ts'
import { bundledFiles, type ConsoleFile } from './bundle.ts'

/** Where the files of the page are; the bundler gives each a name made of its content. */
const assetPath = '/console/assets/'
const compress = promisify(gzip)

/** Names never change their content. */
const forever = 'public, max-age=31536000, immutable'

/**
 * What the console's page may do: its own scripts and styles, its own server, nothing else. The
 * component library writes style elements, which the nonce allows.
 */
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

/** The console's page and its files. Compresses each when it is first asked for. */
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
    const bytes =
      compressed.get(file.name) ?? file.bytes().then((all) => compress(all, { level: 9 }))
    compressed.set(file.name, bytes)
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
