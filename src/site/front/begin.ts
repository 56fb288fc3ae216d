import { copiable } from '../../look/copy.ts'
import { type Client, snippetsOf } from '../../look/snippets.ts'
import { tabsHtml } from '../../look/tabs.ts'
import { escapeHtml } from '../../look/text.ts'
import { frameWords } from '../../look/words.ts'
import type { FrontPage } from './page.ts'
import type { FrontWords } from './words.ts'

/** What is shown for each client; `curl` alone, or all but it. */
const shown: readonly { readonly title: string; readonly client: Client; readonly curl?: true }[] =
  [
    { title: 'OpenAI SDK', client: 'chat' },
    { title: 'Anthropic SDK', client: 'messages' },
    { title: 'Gemini SDK', client: 'gemini' },
    { title: 'Claude Code', client: 'claude-code' },
    { title: 'Codex', client: 'codex' },
    { title: 'Gemini CLI', client: 'gemini-cli' },
    { title: 'curl', client: 'chat', curl: true },
  ]

/** How to begin with each client, on the most used model. */
export function beginHtml(page: FrontPage, words: FrontWords): string {
  const { language, addresses, isOpen, facts, site } = page
  const byTokens = facts.models.find(({ price }) => 'input' in price)
  const model = site.hasModels && byTokens ? byTokens.name : 'model'
  const setup = { address: addresses[0].url, key: words.placeholder, model }
  const tabs = shown.map(({ title, client, curl = false }) => {
    const figures = snippetsOf(client, setup)
      .filter((snippet) => (snippet.title === 'curl') === curl)
      .map(({ title: name, code }) => {
        const pre = `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>`
        return `<figure><figcaption>${escapeHtml(name)}</figcaption>${copiable(pre, frameWords[language])}</figure>`
      })
    return { title, html: `<div class="snippets">${figures.join('')}</div>` }
  })
  const steps = words.steps(isOpen).map((step) => `<li><span>${step}</span></li>`)
  return (
    `<section id="begin"><h2>${words.begin}</h2><ol class="steps">${steps.join('')}</ol>` +
    `${tabsHtml('client', words.clients, tabs)}</section>`
  )
}
