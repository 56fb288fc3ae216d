import { useCallback } from 'react'
import { type Language, localeOf, useLanguage } from './language.ts'

/** Writes a part of a whole in percent, such as `8.3%`; of nothing there are no parts. */
export function useShare() {
  const { language } = useLanguage()
  return useCallback(
    (part: number | string, whole: number | string) =>
      Number(whole) === 0 ? '—' : percent(language).format(Number(part) / Number(whole)),
    [language],
  )
}

const percent = (language: Language) =>
  new Intl.NumberFormat(localeOf(language), { style: 'percent', maximumSignificantDigits: 2 })
