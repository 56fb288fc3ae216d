/** The languages of the console, as they call themselves. */
export const languages = { en: 'English', zh: '简体中文' } as const
export type Language = keyof typeof languages

/** The texts of one page or part: the same names in both languages. */
export interface Texts<Text> {
  readonly en: Text
  readonly zh: { readonly [Name in keyof Text]: Text[Name] extends string ? string : Text[Name] }
}
