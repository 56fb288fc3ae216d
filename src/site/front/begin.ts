import { clientTabs } from '../client-tabs.ts'
import type { FrontPage } from './page.ts'
import type { FrontWords } from './words.ts'

/** How to begin with each client, on the most used model. */
export function beginHtml(page: FrontPage, words: FrontWords): string {
  const { language, addresses, isOpen, facts, site } = page
  const answering = facts.rows.find((row) => row.model.kind === 'answers')
  const model = site.hasModels && answering ? answering.model.name : 'model'
  const steps = words.steps(isOpen).map((step) => `<li><span>${step}</span></li>`)
  const tabs = clientTabs({ address: addresses[0].url, model }, words.clients, language)
  return (
    `<section id="begin"><h2>${words.begin}</h2><ol class="steps">${steps.join('')}</ol>` +
    `${tabs}</section>`
  )
}
