import { createContext, createElement, type ReactNode, useContext, useMemo, useState } from 'react'

/** The languages of the console, as they call themselves. */
export const languages = { en: 'English', zh: '简体中文' } as const
export type Language = keyof typeof languages

/** The texts of one page or part: the same names in both languages. */
export interface Texts<Text> {
  readonly en: Text
  readonly zh: { readonly [Name in keyof Text]: Text[Name] extends string ? string : Text[Name] }
}

/**
 * One text in both languages. `{names}` in it are filled in, in the order of the English ones;
 * a function makes a text that depends on its values.
 */
type Pair = readonly [string, string] | readonly [Making, Making]
type Making = (...values: never[]) => string
interface Pairs {
  readonly [name: string]: Pair | Pairs
}

type Values<Text> = Text extends `${string}{${string}}${infer Rest}`
  ? [value: string | number, ...Values<Rest>]
  : []

/** What one language says: parameters are those of the English text. */
type Said<Given> = Given extends readonly [infer English, unknown]
  ? English extends string
    ? English extends `${string}{${string}}${string}`
      ? (...values: Values<English>) => string
      : string
    : English
  : { readonly [Name in keyof Given]: Said<Given[Name]> }

/** Texts of which each is stated once, in English and in Chinese. */
export const bilingual = <const Given extends Pairs>(pairs: Given): Texts<Said<Given>> =>
  ({ en: pick(pairs, 'en'), zh: pick(pairs, 'zh') }) as Texts<Said<Given>>

const pick = (pairs: Pairs, language: Language): object =>
  Object.fromEntries(
    Object.entries(pairs).map(([name, one]) => [
      name,
      isPair(one) ? said(one, language) : pick(one, language),
    ]),
  )

const isPair = (one: Pair | Pairs): one is Pair => Array.isArray(one)

function said([en, zh]: Pair, language: Language) {
  const text = language === 'en' ? en : zh
  const names = typeof en === 'string' ? en.match(/\{\w+\}/g) : null
  if (names === null || typeof text !== 'string') return text
  return (...values: readonly (string | number)[]) =>
    text.replace(/\{\w+\}/g, (name) => {
      const value = values[names.indexOf(name)] ?? ''
      return typeof value === 'number' ? formatCount(value, language) : value
    })
}

/** The locale of numbers and times. */
export const localeOf = (language: Language) => (language === 'zh' ? 'zh-CN' : undefined)

/** A count with its thousands told apart. */
export const formatCount = (count: number, language = shown) =>
  new Intl.NumberFormat(localeOf(language)).format(count)

/** The text of a name that may be none of these. */
export const textOf = (
  texts: Readonly<Record<string, string>>,
  name: string,
): string | undefined => (Object.hasOwn(texts, name) ? texts[name] : undefined)

/** Words of buttons that many pages have. */
export const commonText = bilingual({
  cancel: ['Cancel', '取消'],
  showAll: ['Show all', '显示全部'],
  undo: ['Undo', '撤销'],
})

interface Choice {
  readonly language: Language
  choose(language: Language): void
}

const storageKey = 'tollgate-language'
const LanguageChoice = createContext<Choice>({ language: 'en', choose: () => {} })

/** What was chosen before, else what the browser asks for. */
function firstLanguage(): Language {
  const chosen = localStorage.getItem(storageKey)
  if (chosen === 'en' || chosen === 'zh') return chosen
  const wanted = navigator.languages.find((tag) => /^(en|zh)\b/i.test(tag))
  return wanted?.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

let shown: Language = 'en'

/** The language that the page is in, for what no component shows. */
export const shownLanguage = (): Language => shown

/** Gives all below it the language, and stores a choice for the next visit. */
export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage)
  shown = language
  const choice = useMemo<Choice>(
    () => ({
      language,
      choose(chosen) {
        localStorage.setItem(storageKey, chosen)
        setLanguage(chosen)
      },
    }),
    [language],
  )
  return createElement(LanguageChoice.Provider, { value: choice }, children)
}

export const useLanguage = (): Choice => useContext(LanguageChoice)

/** The texts of `texts` in the language that is chosen. */
export function useText<Text>(texts: Texts<Text>): Text {
  // The type of the other language says that each name is there.
  return texts[useLanguage().language] as Text
}
