import { quoted, shellWord } from './quote.ts'
import type { Setup, Snippet } from './snippets.ts'

const json = (value: object) => JSON.stringify(value, null, 2)
const exports = (variables: readonly (readonly [string, string])[]) =>
  variables.map(([name, value]) => `export ${name}=${shellWord(value)}`).join('\n')

/** Claude Code: by its environment, or for good by its settings. */
export function claudeCode(base: string, { key, model }: Setup): readonly Snippet[] {
  const variables = [
    ['ANTHROPIC_BASE_URL', base],
    ['ANTHROPIC_AUTH_TOKEN', key],
  ] as const
  return [
    { title: 'Shell', code: `${exports(variables)}\nclaude --model ${shellWord(model)}` },
    {
      title: '~/.claude/settings.json',
      code: json({ model, env: Object.fromEntries(variables) }),
    },
  ]
}

/** Codex speaks responses alone; web search runs at a vendor that may not be the model's. */
export function codex(base: string, { key, model }: Setup): readonly Snippet[] {
  return [
    {
      title: '~/.codex/config.toml',
      code: `model = ${quoted(model)}
model_provider = "tollgate"
web_search = "disabled"

[model_providers.tollgate]
name = "Tollgate"
base_url = ${quoted(base)}
env_key = "TOLLGATE_KEY"
wire_api = "responses"`,
    },
    { title: 'Shell', code: `${exports([['TOLLGATE_KEY', key]])}\ncodex` },
  ]
}

/** Gemini CLI: the way to sign in is set once. */
export function geminiCli(base: string, { key, model }: Setup): readonly Snippet[] {
  const variables = [
    ['GOOGLE_GEMINI_BASE_URL', base],
    ['GEMINI_API_KEY', key],
  ] as const
  return [
    { title: 'Shell', code: `${exports(variables)}\ngemini -m ${shellWord(model)}` },
    {
      title: '~/.gemini/settings.json',
      code: json({ security: { auth: { selectedType: 'gemini-api-key' } } }),
    },
  ]
}
