import { Marked, type Token, type Tokens } from 'marked'
import type { Language } from '../../../look/language.ts'
import { escapeHtml } from '../../../look/text.ts'
import { copiedBlock } from '../../highlight.ts'

/** A heading within a page. */
export interface Heading {
  readonly id: string
  readonly text: string
  readonly depth: number
}

/** What is between two headings, as text without marks: what the search reads. */
export interface Section {
  /** Empty: before the first heading. */
  readonly id: string
  readonly heading: string
  readonly text: string
}

export interface RenderedPage {
  readonly title: string
  /** The first paragraph, as text. */
  readonly description: string
  /** From the title on. */
  readonly html: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

/** A page of the guide as HTML: its title, then its description, then the rest. HTML in it is shown, not obeyed. */
export function renderPage(text: string, language: Language): RenderedPage {
  const headings: Heading[] = []
  const marked = createMarked(headings, language)
  const tokens = marked.lexer(text)
  const first = tokens.findIndex(({ type }) => type === 'heading')
  const [title, ...others] = [tokens[first], ...tokens.filter((_, at) => at !== first)]
  const lead = others.find(({ type }) => type === 'paragraph')
  const parts = others.map((token) => (token ? partOf(token, marked, headings) : undefined))
  const body = parts.filter((part) => part !== undefined)
  const titleHtml = title ? inline(title, marked) : ''
  return {
    title: plainText(titleHtml),
    description: lead ? plainText(marked.parser([lead])) : '',
    html: `<h1>${titleHtml}</h1>${body.map(({ html }) => html).join('')}`,
    headings,
    sections: sectionsOf(body),
  }
}

interface Part {
  readonly html: string
  /** Of a heading. */
  readonly heading: Heading | undefined
}

function partOf(token: Token, marked: Marked, headings: readonly Heading[]): Part {
  const before = headings.length
  const html = marked.parser([token])
  return { html, heading: headings.length > before ? headings.at(-1) : undefined }
}

function sectionsOf(parts: readonly Part[]): readonly Section[] {
  const sections: { id: string; heading: string; text: string }[] = []
  let current = { id: '', heading: '', text: '' }
  for (const { html, heading } of parts) {
    if (heading) {
      sections.push(current)
      current = { id: heading.id, heading: heading.text, text: '' }
    } else current.text += ` ${plainText(html)}`
  }
  return [...sections, current].filter(({ heading, text }) => heading !== '' || text !== '')
}

/** HTML as text. */
export const plainText = (html: string): string =>
  html
    .replace(/<button\b.*?<\/button>/g, '')
    .replace(/<\/?(?:code|strong|em|a|span)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(lt|gt|quot|#x27|#39|amp);/g, (_, name: string) => characters[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim()

const characters: Readonly<Record<string, string>> = {
  ...{ lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'", '#x27': "'" },
}

const inline = (token: Token, marked: Marked): string =>
  'tokens' in token && token.tokens ? marked.Parser.parseInline(token.tokens, marked.defaults) : ''

/** The id of a heading, as GitHub makes it. */
export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

/** An id that no other heading has. */
function freshId(text: string, taken: readonly Heading[]): string {
  const slug = slugOf(text)
  const same = taken.filter(({ id }) => id === slug || id.startsWith(`${slug}-`))
  return same.some(({ id }) => id === slug) ? `${slug}-${same.length}` : slug
}

/** Where a link of the guide leads in the program; undefined: nowhere that a page may lead. */
export function rewriteLink(href: string): string | undefined {
  const page = /^(?:\.\/)?(?:\d+-)?([a-z0-9-]+)\.md(#.*)?$/.exec(href)
  if (page) return `/docs/${page[1]}${page[2] ?? ''}`
  return /^(?:#|\/(?!\/)|https?:\/\/|mailto:)/.test(href) ? href : undefined
}

function createMarked(headings: Heading[], language: Language): Marked {
  const marked = new Marked()
  marked.use({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const html = this.parser.parseInline(tokens)
        const text = plainText(html)
        const id = freshId(text, headings)
        headings.push({ id, text, depth })
        return headingHtml({ id, depth, html })
      },
      code: ({ text, lang = '' }: Tokens.Code) =>
        copiedBlock(text, lang.split(/\s/)[0] ?? '', language),
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
      image: ({ text }: Tokens.Image) => escapeHtml(text),
      link({ href, tokens }: Tokens.Link) {
        const to = rewriteLink(href)
        const inner = this.parser.parseInline(tokens)
        return to === undefined ? inner : `<a href="${escapeHtml(to)}">${inner}</a>`
      },
      blockquote({ tokens }: Tokens.Blockquote) {
        return `<aside class="note">${this.parser.parse(tokens)}</aside>`
      },
      table(token: Tokens.Table) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('')
        return tableHtml(`<thead><tr>${cells(token.header, 'th')}</tr></thead>${rows}`)
      },
    },
  })
  return marked
}

/** A heading with a link to itself. */
export const headingHtml = ({ id, depth, html }: { id: string; depth: number; html: string }) =>
  `<h${depth} id="${escapeHtml(id)}"><a class="anchor" href="#${escapeHtml(id)}">${html}</a></h${depth}>`

/** A table that the keyboard can scroll where it is wider than the page. `className`: one of the style's. */
export const tableHtml = (rows: string, className?: 'fields' | 'ways'): string =>
  `<div class="scroll" tabindex="0"><table${className ? ` class="${className}"` : ''}>${rows}</table></div>`
