/** The languages of the console, as they call themselves. */
export const languages = { en: 'English', zh: '简体中文' } as const
export type Language = keyof typeof languages

/** The texts of one page or part: the same names in both languages. */
export interface Texts<Text> {
  readonly en: Text
  readonly zh: { readonly [Name in keyof Text]: Text[Name] extends string ? string : Text[Name] }
}

/** One text in both languages; a function makes it of values. */
type Pair = readonly [string, string] | readonly [Making, Making]
type Making = (...values: never[]) => string
interface Pairs {
  readonly [name: string]: Pair | Pairs
}

/** What one language says: parameters are those of the English text. */
type Said<Given> = Given extends readonly [infer English, unknown]
  ? English extends string
    ? string
    : English
  : { readonly [Name in keyof Given]: Said<Given[Name]> }

/** Texts of which each is stated once, in English and in Chinese. */
export const bilingual = <Given extends Pairs>(pairs: Given): Texts<Said<Given>> =>
  ({ en: pick(pairs, 0), zh: pick(pairs, 1) }) as Texts<Said<Given>>

const pick = (pairs: Pairs, place: 0 | 1): object =>
  Object.fromEntries(
    Object.entries(pairs).map(([name, one]) => [name, isPair(one) ? one[place] : pick(one, place)]),
  )

const isPair = (one: Pair | Pairs): one is Pair => Array.isArray(one)

/** The text of a name that may be none of these. */
export const textOf = (
  texts: Readonly<Record<string, string>>,
  name: string,
): string | undefined => (Object.hasOwn(texts, name) ? texts[name] : undefined)

/** Words of buttons that many pages have. */
export const commonText = bilingual({
  cancel: ['Cancel', '取消'],
  showAll: ['Show all', '显示全部'],
})
