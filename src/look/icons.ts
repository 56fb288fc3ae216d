import arrowRight from '@tabler/icons/outline/arrow-right.svg' with { type: 'text' }
import book from '@tabler/icons/outline/book.svg' with { type: 'text' }
import check from '@tabler/icons/outline/check.svg' with { type: 'text' }
import copy from '@tabler/icons/outline/copy.svg' with { type: 'text' }
import externalLink from '@tabler/icons/outline/external-link.svg' with { type: 'text' }
import language from '@tabler/icons/outline/language.svg' with { type: 'text' }
import search from '@tabler/icons/outline/search.svg' with { type: 'text' }

const files = { arrowRight, book, check, copy, externalLink, language, search }

export type IconName = keyof typeof files

/** One of Tabler's icons as inline SVG, hidden from screen readers; in the colour of its text. */
export function icon(name: IconName, sizePx = 16): string {
  const lines = files[name].match(/<path d="[^"]*" \/>/g) ?? []
  return (
    `<svg class="icon" width="${sizePx}" height="${sizePx}" viewBox="0 0 24 24" fill="none" ` +
    'stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" ' +
    `aria-hidden="true">${lines.join('').replaceAll(' />', '/>')}</svg>`
  )
}
