/** Languages of the page, the one that is shown to whoever wants none of them first. */
export const languages = ['en', 'zh'] as const
export type Language = (typeof languages)[number]

/**
 * The language to answer in: the one that the address names (`?lang=`), else the one that the
 * browser likes best (`Accept-Language`, RFC 9110, 12.5.4), else English.
 */
export function languageOf({ headers, url }: Pick<Request, 'headers' | 'url'>): Language {
  const named = new URL(url).searchParams.get('lang')
  const asked = languages.find((language) => language === named)
  return asked ?? best(headers.get('accept-language') ?? '')
}

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
