import { icon } from './icons.ts'
import { escapeHtml } from './text.ts'

/** A link to where there is more, with an arrow. `html`: its text. */
export const leadOn = (href: string, html: string): string =>
  `<a class="on" href="${escapeHtml(href)}">${html}${icon('arrowRight', 14)}</a>`
