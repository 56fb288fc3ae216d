import { copiable } from '../../look/copy.ts'
import type { Language } from '../../look/language.ts'
import { type Client, snippetsOf } from '../../look/snippets.ts'
import { tabsHtml } from '../../look/tabs.ts'
import { escapeHtml } from '../../look/text.ts'
import { frameWords } from '../../look/words.ts'
import { endpointsOf } from './endpoints.ts'
import type { ShownModel } from './models.ts'
import { wordsOf } from './parts.ts'

/** Stands for the key of the reader. */
export const keyInSnippets = 'sk-your-key'

/** What is offered, by tab: of a client some snippets alone, by their titles. */
const tabs: readonly (readonly [title: string, client: Client, only?: string])[] = [
  ['curl', 'chat', 'curl'],
  ['OpenAI · Python', 'chat', 'Python'],
  ['OpenAI · TypeScript', 'chat', 'TypeScript'],
  ['Anthropic SDK', 'messages'],
  ['Google Gen AI SDK', 'gemini'],
  ['Claude Code', 'claude-code'],
  ['Codex', 'codex'],
  ['Gemini CLI', 'gemini-cli'],
]

/** What to write for each client, ready to be run with a key. */
export function beginHtml(model: ShownModel, address: string, language: Language): string {
  const words = wordsOf[language]
  const { kind, name } = model
  const parts =
    kind === 'answers'
      ? tabs.map(([title, client, only]) => {
          const all = snippetsOf(client, { address, key: keyInSnippets, model: name })
          return { title, snippets: all.filter((one) => only === undefined || one.title === only) }
        })
      : [{ title: 'curl', snippets: curls(model, address) }]
  const shown = parts.map(({ title, snippets }) => ({
    title,
    html: snippets
      .map(
        (one) =>
          `${snippets.length > 1 ? `<h3>${escapeHtml(one.title)}</h3>` : ''}${copiable(`<pre tabindex="0"><code>${escapeHtml(one.code)}</code></pre>`, frameWords[language])}`,
      )
      .join(''),
  }))
  return (
    `<section class="part" aria-labelledby="begin"><h2 id="begin">${words.begin}</h2>` +
    `<p>${words.beginLead} <code>${keyInSnippets}</code>. <a href="/console/tokens">${words.newToken}</a></p>` +
    `${tabsHtml('client', words.begin, shown)}</section>`
  )
}

/** Commands for models that make no answers in text. */
function curls(model: ShownModel, address: string) {
  const { name, kind } = model
  const body =
    kind === 'embeddings'
      ? { model: name, input: 'The quick brown fox' }
      : { model: name, prompt: 'A lighthouse at dusk', size: '1024x1024' }
  const path = endpointsOf(model)[0]?.path
  if (path === undefined || path.startsWith('/v1beta')) return []
  const json = JSON.stringify(body).replaceAll("'", "'\\''")
  return [
    {
      title: path,
      code:
        `curl ${address.replace(/\/+$/, '')}${path} \\\n  -H 'authorization: Bearer ${keyInSnippets}' \\\n` +
        `  -H 'content-type: application/json' \\\n  -d '${json}'`,
    },
  ]
}
