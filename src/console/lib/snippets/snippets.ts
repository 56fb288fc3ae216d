import { claudeCode, codex, geminiCli } from './agents.ts'
import { chat, gemini, messages, responses } from './sdks.ts'

/** What can be set up, in the order in which it is offered. */
export const clients = [
  'chat',
  'responses',
  'messages',
  'gemini',
  'claude-code',
  'codex',
  'gemini-cli',
] as const
export type Client = (typeof clients)[number]

/** What a client must be told. */
export interface Setup {
  /** Main or overseas address of the gateway, without `/v1`. */
  readonly address: string
  readonly key: string
  readonly model: string
}

/** A text to copy; `title` is the language, or the file that it stands in. */
export interface Snippet {
  readonly title: string
  readonly code: string
}

/** These write `/v1` themselves into their base address; all others add what they need to it. */
const withVersion: ReadonlySet<Client> = new Set(['chat', 'responses', 'codex'])

/** The base address of a client, by the rule of its protocol. */
export function baseAddress(client: Client, address: string): string {
  const bare = address.replace(/\/+$/, '')
  return withVersion.has(client) ? `${bare}/v1` : bare
}

const makers: { readonly [Name in Client]: (base: string, setup: Setup) => readonly Snippet[] } = {
  chat,
  responses,
  messages,
  gemini,
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
}

/** What to write for a client, ready to be run. */
export const snippetsOf = (client: Client, setup: Setup): readonly Snippet[] =>
  makers[client](baseAddress(client, setup.address), setup)
