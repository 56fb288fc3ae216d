import { copyScript } from '../look/copy.ts'
import { chosenLanguage, type Language, languageCookie, languageTags } from '../look/language.ts'
import { guardPage, type Published, respond } from './published.ts'

interface PageAnswer {
  readonly request: Request
  readonly published: Published
  readonly language: Language
  /** The operator's logo, which the page loads. */
  readonly logoUrl: string | null
  /** Whether it may load images from any host. Only for a page that the operator wrote. */
  readonly anyImages?: boolean
  /** Whether it has the script of copy buttons. */
  readonly copies?: boolean
  /** Default: 200. */
  readonly status?: number
  /** Whether it has a form that leads to a page of this host. */
  readonly hasForm?: boolean
  /** A script of the page's own, which may ask this host. */
  readonly script?: string
}

/**
 * Answers a GET or HEAD with a page of `look/frame.ts`, whatever the path: its policy allows the frame's own
 * script and images of this host and the logo alone. A language that was chosen is remembered.
 */
export async function respondPage(answer: PageAnswer): Promise<Response> {
  const { request, published, language, status = 200 } = answer
  const response =
    status === 200 ? await respond(request, published) : await failed(request, published, status)
  const { headers } = response
  if (response.status === status) {
    headers.set('content-type', 'text/html; charset=utf-8')
    headers.set('content-language', languageTags[language])
  }
  headers.set('vary', 'accept-encoding, accept-language, cookie')
  guardPage(headers, loadedBy(answer), answer.hasForm ? "'self'" : "'none'")
  if (chosenLanguage(request) !== undefined)
    headers.set(
      'set-cookie',
      `${languageCookie}=${language}; Path=/; Max-Age=31536000; SameSite=Lax`,
    )
  return response
}

/** What the page may load, for its policy. Tools that judge a site ask for robots.txt from within the page. */
function loadedBy({ copies, script, logoUrl, anyImages }: PageAnswer): string {
  const scripts = [...(copies ? [copyScript] : []), ...(script === undefined ? [] : [script])]
  const named = scripts.length === 0 ? '' : `; script-src ${scripts.map(hashOf).join(' ')}`
  const images = `${logoUrl ? ` ${sourceOf(logoUrl)}` : ''}${anyImages ? ' https: data:' : ''}`
  return `${named}; connect-src 'self'; img-src 'self'${images}`
}

/** An error's page: nothing is unchanged since an error. */
async function failed(
  { url, headers }: Request,
  published: Published,
  status: number,
): Promise<Response> {
  const plain = new Request(url, {
    headers: { 'accept-encoding': headers.get('accept-encoding') ?? '' },
  })
  const { body, headers: given } = await respond(plain, published)
  given.delete('etag')
  given.delete('last-modified')
  return new Response(body, { status, headers: given })
}

const hashOf = (script: string) =>
  `'sha256-${new Bun.CryptoHasher('sha256').update(script).digest('base64')}'`

/** An address as a source of a policy, which has neither query nor separators. */
function sourceOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')
}
