import type { Language } from '../look/language.ts'
import { type Client, snippetsOf } from '../look/snippets.ts'
import { tabsCss, tabsHtml } from '../look/tabs.ts'
import { escapeHtml } from '../look/text.ts'
import { codeCss, copiedBlock } from './highlight.ts'

/** Stands for the key of the reader. */
export const keyInSnippets = 'sk-your-key'

/** The style of what is made here. */
export const snippetsCss =
  codeCss +
  tabsCss +
  '.snippets{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:var(--s-4)}' +
  '.snippets figure{min-width:0}.snippets figcaption{margin-bottom:var(--s-1);color:var(--soft);font-size:var(--t-13)}'

/** Something to copy; `title` says what it is: a language, or a file. */
interface Titled {
  readonly title: string
  readonly code: string
}

/** What is shown for each client: of the first one `curl` alone, of the others all but it. */
const tabs: readonly { readonly title: string; readonly client: Client; readonly curl?: true }[] = [
  { title: 'curl', client: 'chat', curl: true },
  { title: 'OpenAI SDK', client: 'chat' },
  { title: 'Anthropic SDK', client: 'messages' },
  { title: 'Google Gen AI SDK', client: 'gemini' },
  { title: 'Claude Code', client: 'claude-code' },
  { title: 'Codex', client: 'codex' },
  { title: 'Gemini CLI', client: 'gemini-cli' },
]

/** What to write for each client that asks a model at an address, in tabs. `label` names them together. */
export function clientTabs(
  { address, model }: { readonly address: string; readonly model: string },
  label: string,
  language: Language,
): string {
  const setup = { address, key: keyInSnippets, model }
  const shown = tabs.map(({ title, client, curl = false }) => {
    const snippets = snippetsOf(client, setup).filter((one) => (one.title === 'curl') === curl)
    return { title, html: snippetsHtml(snippets, language) }
  })
  return tabsHtml('client', label, shown)
}

/** Snippets side by side, where there is room. */
export function snippetsHtml(snippets: readonly Titled[], language: Language): string {
  const figures = snippets.map(({ title, code }) => {
    const name = snippets.length > 1 ? `<figcaption>${escapeHtml(title)}</figcaption>` : ''
    return `<figure>${name}${copiedBlock(code, grammarOf(title), language)}</figure>`
  })
  return `<div class="snippets">${figures.join('')}</div>`
}

/** The language of a snippet by its title, as the end of a file's name. */
const grammarOf = (title: string): string =>
  ({ Python: 'py', TypeScript: 'ts', curl: 'sh', Shell: 'sh' })[title] ??
  title.split('.').at(-1) ??
  ''
