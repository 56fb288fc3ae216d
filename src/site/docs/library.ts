import type { Language } from '../../look/language.ts'
import { type RenderedPage, renderPage } from './guide/markdown.ts'
import { guideTexts } from './guide/texts.ts'
import { docsWords } from './words.ts'

/** An entry of the menu. */
export interface MenuPage {
  readonly name: string
  readonly path: string
  readonly title: string
  readonly isReference: boolean
}

export interface GuidePage extends RenderedPage {
  readonly name: string
  /** The language it is written in: English where there is no other. */
  readonly written: Language
}

const pathOf = (name: string) => `/docs/${name}`

/** The first page of the guide has the address of the documentation itself. */
const guidePath = (name: string, at: number) => (at === 0 ? '/docs' : pathOf(name))

/** Names that are pages of their own, made from the program. */
const referenceNames = ['configuration', 'api', 'translation'] as const

/** Addresses of all pages. */
export const docsPaths: readonly string[] = [
  ...guideTexts.en.map(({ name }, at) => guidePath(name, at)),
  ...referenceNames.map(pathOf),
]

const rendered = new Map<Language, readonly GuidePage[]>()

/** The pages of the guide in their order, those without a translation in English. */
export function guidePages(language: Language): readonly GuidePage[] {
  return rendered.getOrInsertComputed(language, () =>
    guideTexts.en.map(({ name, text }) => {
      const own = guideTexts[language].find((file) => file.name === name)
      return { name, written: own ? language : 'en', ...renderPage(own?.text ?? text, language) }
    }),
  )
}

/** All pages: the guide, then the references. */
export function menuOf(language: Language): readonly MenuPage[] {
  const words = docsWords[language]
  return [
    ...guidePages(language).map(({ name, title }, at) => ({
      ...{ name, title, path: guidePath(name, at), isReference: false },
    })),
    ...referenceNames.map((name) => ({
      ...{ name, title: words[name], path: pathOf(name), isReference: true },
    })),
  ]
}
