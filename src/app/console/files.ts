import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { Elysia } from 'elysia'
import { pageNotFound } from '../../gateway/errors.ts'
import { acceptedCoding, type Coding } from '../../lib/accepted-coding.ts'
import type { Config } from '../config/config.ts'
import { bundledFiles, type ConsoleFile } from './bundle.ts'
import { pagePolicy, withHead } from './page-head.ts'

/** Path of the page's files; the bundler puts a hash of the content into each name. */
const assetPath = '/console/assets/'

const forever = 'public, max-age=31536000, immutable'

const compressGzip = promisify(gzip)
const compressBrotli = promisify(brotliCompress)

/** Each takes some 50 ms of another thread for the largest file, once. */
const packers: Readonly<Record<Coding, (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>>> = {
  br: async (bytes) => {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    }
    return new Uint8Array(await compressBrotli(bytes, { params }))
  },
  gzip: async (bytes) => new Uint8Array(await compressGzip(bytes, { level: 9 })),
}

/** The console's pages and their files, compressed when first requested. `site`: what it is now. */
export async function createConsoleFiles(site: () => Config['site']) {
  const { inside, outside, files } = await bundledFiles(assetPath)
  const packed = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

  async function serve(file: ConsoleFile, request: Request): Promise<Response> {
    const headers = new Headers({
      'content-type': file.contentType,
      'cache-control': forever,
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
    })
    const coding = acceptedCoding(request)
    if (coding === undefined) return new Response(await file.bytes(), { headers })
    const pack = async () => packers[coding](await file.bytes())
    const bytes = packed.getOrInsertComputed(`${coding} ${file.name}`, pack)
    headers.set('content-encoding', coding)
    return new Response(await bytes, { headers })
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
