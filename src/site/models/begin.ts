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

const clientTitles: readonly (readonly [Client, string])[] = [
  ['chat', 'OpenAI SDK · curl'],
  ['messages', 'Anthropic SDK'],
  ['claude-code', 'Claude Code'],
  ['codex', 'Codex'],
  ['gemini-cli', 'Gemini CLI'],
  ['gemini', 'Google Gen AI SDK'],
]

/** What to write for each client, ready to be run with a key. */
export function beginHtml(model: ShownModel, address: string, language: Language): string {
  const words = wordsOf[language]
  const { kind, name } = model
  const parts =
    kind === 'answers'
      ? clientTitles.map(([client, title]) => ({
          title,
          snippets: snippetsOf(client, { address, key: keyInSnippets, model: name }),
        }))
      : [{ title: 'curl', snippets: curls(model, address) }]
  const tabs = parts.map(({ title, snippets }) => ({
    title,
    html: snippets
      .map(
        (one) =>
          `<h3>${escapeHtml(one.title)}</h3>${copiable(`<pre tabindex="0"><code>${escapeHtml(one.code)}</code></pre>`, frameWords[language])}`,
      )
      .join(''),
  }))
  return (
    `<section class="part" aria-labelledby="begin"><h2 id="begin">${words.begin}</h2>` +
    `<p>${words.beginLead} <code>${keyInSnippets}</code>. <a href="/console/tokens">${words.newToken}</a></p>` +
    `${tabsHtml('client', words.begin, tabs)}</section>`
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
