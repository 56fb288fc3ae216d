import { marked } from 'marked'
import { type FrameSite, publicPage } from '../../look/frame.ts'
import type { Language } from '../../look/language.ts'
import { frontWords } from './words.ts'

/** A front page that the operator wrote: Markdown, or HTML. */
export interface OwnPage {
  readonly path: string
  readonly text: string
}

interface About {
  readonly language: Language
  readonly site: FrameSite
  readonly subtitle: string | null
}

/** HTML as it is; Markdown within the frame of all pages. Either may do what the page's policy allows. */
export function ownPageHtml({ path, text }: OwnPage, { language, site, subtitle }: About): string {
  if (!/\.md$/i.test(path)) return text
  const words = frontWords[language]
  const body = marked.parse(text, { async: false })
  return publicPage({
    ...{ language, site, path: '/' },
    title: words.title(site.name, subtitle),
    description: subtitle ?? words.noSubtitle,
    head: `<style>${css}</style>`,
    body: `<article class="wrap own">${body}</article>`,
  })
}

const css =
  '.own>*{max-width:44rem;margin-top:var(--s-4)}.own>h1{font-size:var(--t-40)}.own>h2{margin-top:var(--s-8)}' +
  '.own>table,.own>pre{max-width:100%}.own>img{max-width:100%;height:auto}'
