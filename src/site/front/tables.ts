import type { Language } from '../../look/language.ts'
import { leadOn } from '../../look/lead-on.ts'
import { stateWords } from '../../look/states.ts'
import { escapeHtml } from '../../look/text.ts'
import { percent } from '../figures.ts'
import { wordsOf } from '../models/parts.ts'
import { type Column, modelTable } from '../models/table.ts'
import type { FrontFacts } from './facts.ts'
import { frontWords } from './words.ts'

const columns = [
  ...(['name', 'vendor', 'context', 'input', 'output', 'list', 'saving', 'now'] as const),
] as const satisfies readonly Column[]
const wide: ReadonlySet<Column> = new Set(['vendor', 'context', 'list', 'saving'])

/** The most used models with their prices, and the way to all. */
export function modelsHtml({ rows, modelCount, isByUse }: FrontFacts, language: Language): string {
  const words = frontWords[language]
  const table = modelTable({ words: wordsOf[language], rows, columns, wide, className: 'brief' })
  return (
    `<section><div class="headed"><h2>${words.mostUsed}</h2>` +
    `${leadOn('/models', words.all(modelCount))}</div>` +
    `<p class="soft small">${words.caption(isByUse)}</p>${table}</section>`
  )
}

const mostGroups = 12

/** How each group answers at present. */
export function availabilityHtml({ groups }: FrontFacts, language: Language): string {
  const words = frontWords[language]
  const states = stateWords[language]
  const items = groups.slice(0, mostGroups).map(({ name, state, dayRatio, models }) => {
    const ratio = percent(dayRatio)
    const day = ratio === null ? words.noDay : words.day(ratio)
    return (
      `<li><b><bdi title="${escapeHtml(name)}">${escapeHtml(name)}</bdi><span class="${state}">${states[state]}</span></b>` +
      `<small class="soft">${day} · ${words.groupModels(models)}</small></li>`
    )
  })
  const left = groups.length - items.length
  const more = left > 0 ? `<p class="small">${words.moreGroups(left)}</p>` : ''
  return (
    `<section><div class="headed"><h2>${words.now}</h2>` +
    `${leadOn('/status', words.toStatus)}</div>` +
    `<p class="soft small">${words.nowAbout}</p><ul class="groups">${items.join('')}</ul>${more}</section>`
  )
}
