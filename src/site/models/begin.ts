import type { Language } from '../../look/language.ts'
import { shellWord } from '../../look/snippets.ts'
import { clientTabs, keyInSnippets, snippetsHtml } from '../client-tabs.ts'
import { endpointsOf } from './endpoints.ts'
import type { ShownModel } from './models.ts'
import { wordsOf } from './parts.ts'

/** What to write for each client, ready to be run with a key. */
export function beginHtml(model: ShownModel, address: string, language: Language): string {
  const words = wordsOf[language]
  const snippets =
    model.kind === 'answers'
      ? clientTabs({ address, model: model.name }, words.begin, language)
      : snippetsHtml(curls(model, address), language)
  return (
    `<section class="part" aria-labelledby="begin"><h2 id="begin">${words.begin}</h2>` +
    `<p>${words.beginLead(`<code>${keyInSnippets}</code>`, `<a href="/console/tokens?create=1">${words.newToken}</a>`)}</p>` +
    `${snippets}</section>`
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
  return [
    {
      title: 'curl',
      code:
        `curl ${address.replace(/\/+$/, '')}${path} \\\n  -H 'authorization: Bearer ${keyInSnippets}' \\\n` +
        `  -H 'content-type: application/json' \\\n  -d ${shellWord(JSON.stringify(body))}`,
    },
  ]
}
