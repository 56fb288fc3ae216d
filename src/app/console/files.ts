import { Elysia } from 'elysia'
import { pageNotFound } from '../../gateway/errors.ts'
import { acceptedCoding } from '../../lib/accepted-coding.ts'
import type { Config } from '../config/config.ts'
import { assetPath, bundledFiles, type ConsoleFile } from './bundle.ts'
import { pagePolicy, withHead } from './page-head.ts'

const forever = 'public, max-age=31536000, immutable'

/** The console's pages and their files, compressed. `site`: what it is now. */
export async function createConsoleFiles(site: () => Config['site']) {
  const { inside, outside, files } = await bundledFiles()

  async function serve(file: ConsoleFile, request: Request): Promise<Response> {
    const headers = new Headers({
      'content-type': file.contentType,
      'cache-control': forever,
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    })
    const coding = acceptedCoding(request)
    if (coding !== undefined) headers.set('content-encoding', coding)
    return new Response(await file.bytes(coding), { headers })
  }

  function servePage(page: string): Response {
    const nonce = crypto.randomUUID()
    return new Response(withHead(page, site(), nonce), {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy': pagePolicy(nonce, site().logoUrl),
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      },
    })
  }

  /** Every other path below the console is the same page: the browser decides what it shows. */
  const serveInside = () => servePage(inside)
  const serveOutside = () => servePage(outside)
  const routes = new Elysia({ name: 'console.files' })
    .get('/console', serveInside)
    .get('/console/', serveInside)
    .get('/console/sign-in', serveOutside)
    .get('/console/sign-up', serveOutside)
    .get('/console/setup', serveOutside)
    .get('/console/:a', serveInside)
    .get('/console/:a/:b', serveInside)
    .get('/console/:a/:b/:c', serveInside)
    .get(`${assetPath}:file`, ({ params, request }) => {
      const file = files.get(params.file)
      return file ? serve(file, request) : pageNotFound()
    })
  return { routes }
}
