import { copyScript } from '../look/copy.ts'
import { chosenLanguage, type Language, languageCookie, languageTags } from '../look/language.ts'
import { guardPage, type Published, respond } from './published.ts'

interface PageAnswer {
  readonly request: Request
  readonly published: Published
  readonly language: Language
  /** The operator's logo, which the page loads. */
  readonly logoUrl: string | null
  /** Whether it has the script of copy buttons. */
  readonly copies?: boolean
}

/**
 * Answers a GET or HEAD with a page of `look/frame.ts`, whatever the path: its policy allows the frame's own
 * script and images of this host and the logo alone. A language that was chosen is remembered.
 */
export function respondPage({
  request,
  published,
  language,
  logoUrl,
  copies,
}: PageAnswer): Response {
  const response = respond(request, published)
  const { headers } = response
  if (response.status === 200) {
    headers.set('content-type', 'text/html; charset=utf-8')
    headers.set('content-language', languageTags[language])
  }
  headers.set('vary', 'accept-encoding, accept-language, cookie')
  const script = copies ? `; script-src ${scriptHash}` : ''
  guardPage(headers, `${script}; img-src 'self'${logoUrl ? ` ${sourceOf(logoUrl)}` : ''}`)
  if (chosenLanguage(request) !== undefined)
    headers.set(
      'set-cookie',
      `${languageCookie}=${language}; Path=/; Max-Age=31536000; SameSite=Lax`,
    )
  return response
}

const scriptHash = `'sha256-${new Bun.CryptoHasher('sha256').update(copyScript).digest('base64')}'`

/** An address as a source of a policy, which has neither query nor separators. */
function sourceOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')
}
