import { icon } from '../../look/icons.ts'
import { modelPath } from '../../look/model-path.ts'
import { alignPoints, priceText } from '../../look/money.ts'
import { escapeHtml } from '../../look/text.ts'
import { tokensHtml } from '../models/parts.ts'
import { percent } from '../status/page/words.ts'
import type { FrontFacts, FrontModel } from './facts.ts'
import type { FrontWords } from './words.ts'

/** The first models with their prices, and the way to all. */
export function modelsHtml({ models, modelCount }: FrontFacts, words: FrontWords): string {
  const head = [
    `<th scope="col">${words.model}</th><th scope="col" class="num wide">${words.context}</th>`,
    `<th scope="col" class="num">${words.input}</th><th scope="col" class="num">${words.output}</th>`,
  ]
  const [inputs, outputs] = (['input', 'output'] as const).map((side) =>
    alignPoints(models.map(({ price }) => rateText(price, side, words))),
  )
  const rows = models.map((model, at) => rowHtml(model, [inputs?.[at], outputs?.[at]], words))
  return (
    `<section><div class="headed"><h2>${words.mostUsed}</h2>` +
    `<a href="/models">${words.all(modelCount)} ${icon('arrowRight', 14)}</a></div>` +
    `<p class="soft small">${words.caption}</p><div class="scroll"><table class="prices">` +
    `<thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div></section>`
  )
}

/** With what input and output cost, as it stands in its columns. */
function rowHtml(
  { name, contextWindow, price }: FrontModel,
  [input = '', output = '']: readonly (string | undefined)[],
  words: FrontWords,
): string {
  const link = `<a href="${escapeHtml(modelPath(name))}">${escapeHtml(name)}</a>`
  const context = contextWindow === null ? '–' : tokensHtml(contextWindow)
  const rates =
    'perCall' in price
      ? `<td class="num" colspan="2">${words.perCall(priceText(price.perCall))}</td>`
      : `<td class="num">${input}</td><td class="num">${output}</td>`
  return `<tr><th scope="row">${link}</th><td class="num wide">${context}</td>${rates}</tr>`
}

function rateText(price: FrontModel['price'], side: 'input' | 'output', words: FrontWords): string {
  if ('perCall' in price) return ''
  return Number(price[side]) === 0 ? words.free : priceText(price[side])
}

const mostGroups = 12

/** How each group answers at present. */
export function availabilityHtml({ groups }: FrontFacts, words: FrontWords): string {
  const items = groups.slice(0, mostGroups).map(({ name, state, dayRatio, models }) => {
    const ratio = percent(dayRatio)
    const day = ratio === null ? words.noDay : words.day(ratio)
    return (
      `<li><b><bdi>${escapeHtml(name)}</bdi><span class="${state}">${words.states[state]}</span></b>` +
      `<small class="soft">${day} · ${words.groupModels(models)}</small></li>`
    )
  })
  const left = groups.length - items.length
  const more = left > 0 ? `<p class="small">${words.moreGroups(left)}</p>` : ''
  return (
    `<section><div class="headed"><h2>${words.now}</h2>` +
    `<a href="/status">${words.toStatus} ${icon('arrowRight', 14)}</a></div>` +
    `<p class="soft small">${words.nowAbout}</p><ul class="groups">${items.join('')}</ul>${more}</section>`
  )
}
