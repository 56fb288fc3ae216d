/** Languages of the public pages, the default first. */
export const languages = ['en', 'zh'] as const
export type Language = (typeof languages)[number]

/** The languages as HTML and HTTP name them. */
export const languageTags: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-Hans' }

/** The cookie that keeps a reader's choice. */
export const languageCookie = 'tollgate_lang'

/** The language of `?lang=`, if it names one. */
export function chosenLanguage({ url }: Pick<Request, 'url'>): Language | undefined {
  const named = new URL(url).searchParams.get('lang')
  return languages.find((language) => language === named)
}

/** The language of `?lang=`, else of an earlier choice, of `Accept-Language` (RFC 9110, 12.5.4), or English. */
export function languageOf(request: Pick<Request, 'headers' | 'url'>): Language {
  const cookie = request.headers.get('cookie')?.slice(0, 8_000).match(kept)?.[1]
  const earlier = languages.find((language) => language === cookie)
  return chosenLanguage(request) ?? earlier ?? acceptedLanguage(request)
}

/** The language that `Accept-Language` asks for (RFC 9110, 12.5.4), or English. */
export const acceptedLanguage = ({ headers }: Pick<Request, 'headers'>): Language =>
  best(headers.get('accept-language') ?? '')

const kept = new RegExp(`(?:^|;\\s*)${languageCookie}=(\\w+)`)

function best(header: string): Language {
  let found: Language = 'en'
  let highest = 0
  for (const part of header.slice(0, 1_000).toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim())
    const language = languages.find((one) => range === one || range.startsWith(`${one}-`))
    const weight = parameters.find((text) => text.startsWith('q='))
    const quality = weight === undefined ? 1 : Number(weight.slice(2))
    if (language === undefined || !(quality > highest)) continue
    found = language
    highest = quality
  }
  return found
}
