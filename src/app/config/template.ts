import { OptionalKind, type TSchema } from '@sinclair/typebox'
import { quirkNames, quirks } from '../../protocols/canonical/quirks.ts'
import { accountFields } from '../../resources/account.ts'
import { channelFields } from '../../resources/channel.ts'
import { groupFields } from '../../resources/group.ts'
import { modalityFields } from '../../resources/price.ts'
import { tokenFields } from '../../resources/token.ts'
import { serverFields, settingFields, siteFields } from './setting-fields.ts'

/** The tollgate.yaml of `tollgate init`. `# ` begins an explanation, `#` alone an unset setting. `tokenKey`: of the first token. */
export function createTemplate(tokenKey: string): string {
  return `${head()}\n${channels()}\n${groupsAndPrices()}\n${accounts(tokenKey)}`
}

const { listen, ...server } = serverFields
const { name: _, ...others } = siteFields
const { quirks: __, ...channelSettings } = channelFields
const { description: ___, ...groupSettings } = groupFields
const { role: ____, ...accountSettings } = accountFields
const { registration_enabled: isOpen, ...settings } = settingFields

const head = () => `# Configuration of Tollgate.
#
# "# " begins an explanation. A "#" without a space stands before a setting at rest: remove the
# "#" to use it. The value shown is the one that holds without it, or an example.
# \${NAME} reads an environment variable, so that secrets need not stand here ($\${ is a plain \${).
# Before the first start:  export OPENAI_API_KEY=...  ADMIN_PASSWORD=...
# After a change, "tollgate plan" shows what it would do, and "tollgate apply" does it, also while
# "tollgate serve" is running.

# Where and how the process listens.
server:
${about(listen, '  ')}  listen: "127.0.0.1:8787"
${settingsAtRest(server, '  ')}
# Where the data is kept. The path is relative to this file. Several nodes share a PostgreSQL:
# postgres://user:password@db.example.com/tollgate, and one TOLLGATE_SECRET in their environment.
# With ?sslmode=require it is encrypted; ?sslmode=verify-full also checks who answers, by the
# authorities that this machine trusts or by &sslrootcert=/path/to/ca.pem. In a password, also one that
# comes from the environment, write / # ? % @ as %2F %23 %3F %25 %40.
store:
  url: sqlite:./tollgate.db
  # normal survives a killed process, full survives a power cut too, but is slower.
  #synchronous: normal

# Several nodes count together in a Valkey or Redis: requests and LLM tokens a minute, requests at
# once, sticky bindings of conversations, and cooldowns of channels. While it is unavailable each node
# keeps to its share of the limits; money does not depend on it. rediss:// uses TLS, a
# number at the end is the database, ?ssl_ca_certs=/path/to/ca.pem checks the server by an authority of
# your own. In a password write / # ? % @ as above. Left out, this node counts in its memory.
#counters: redis://user:password@counters.example.com:6379/0

# At the start and once a day a line of the log and the console say whether a newer release is out. The
# list of releases is signed, and nothing is sent about this gateway. Left out, nothing is looked for.
#updates: https://releases.example.com/tollgate/latest.json

# What public pages say about this gateway. GET /api/v1/settings/public tells all of it.
site:
  name: My gateway
${settingsAtRest(others, '  ')}
# Switches and figures of the whole gateway.
settings:
  # ${isOpen.file.description}
  registration_enabled: false
${settingsAtRest(settings, '  ')}
# People may sign in to the console with an account that they have elsewhere, beside e-mail address
# and password. An account that is here already is linked when the provider says that the e-mail
# address is verified.
#sign_in:
  # Each provider must know the address that it sends people back to:
  # BASE_URL/api/v1/auth/callback/ID, where ID is google, github, or the id below.
  #google:
    # What it calls this gateway, and the secret that it gave for it.
    #client_id: tollgate
    #client_secret: what-the-provider-gave
  #github:
    #client_id: tollgate
    #client_secret: what-the-provider-gave
  # Other providers that speak OIDC.
  #oidc:
    # A short name for that address: small letters, digits and hyphens.
    #- id: company
      # What its button says.
      #name: Company
      # The address of its openid-configuration document.
      #discovery_url: https://login.example.com/.well-known/openid-configuration
      # What it calls this gateway, and the secret that it gave for it.
      #client_id: tollgate
      #client_secret: what-the-provider-gave
      # What it is asked to tell.
      #scopes: [openid, email, profile]
  # Providers of OAuth 2 without OIDC: an account that is here already is linked when the profile
  # says email_verified, or the list of addresses says verified.
  #oauth:
    #- id: forge
      #name: Forge
      #client_id: tollgate
      #client_secret: what-the-provider-gave
      #authorization_url: https://forge.example.com/oauth/authorize
      #token_url: https://forge.example.com/oauth/token
      # Where it shows, in JSON, who has signed in; and their addresses, as GitHub lists them.
      #profile_url: https://forge.example.com/api/user
      #emails_url: https://forge.example.com/api/user/emails
      #scopes: [profile]
`

const channels = () => `# Upstreams: where requests are forwarded to.
channels:
  - name: openai-main
    # false keeps the channel, but does not use it.
    #enabled: true
    # true: what has begun there, such as a conversation, goes on there, but nothing new is sent to
    # it, unless there is no other channel.
    #drain: false
    # The protocols it speaks, each with its base URL as that vendor's SDK wants it. At least one.
    speaks:
      chat: https://api.openai.com/v1
      responses: https://api.openai.com/v1
      #messages: https://api.anthropic.com
      #gemini: https://generativelanguage.googleapis.com
    # The upstream's key; for several, write api_keys: [ ..., ... ] instead.
    api_key: \${OPENAI_API_KEY}
    # The models it offers. With id and upstream, clients ask for one name and the upstream is
    # asked for another.
    models:
      - gpt-5-mini
      - { id: fast, upstream: gpt-5-nano }
    # The HTTP or HTTPS proxy that it is reached by.
    #proxy: http://user:password@proxy.example.com:3128
${settingsAtRest(channelSettings, '    ')}    # How its upstream differs from the vendor of a protocol, for requests that are translated to
    # that protocol. Any of:
${quirkNames.map((name) => `    #   ${name}: ${quirks[name].title}`).join('\n')}
    #quirks: []
`

const groupsAndPrices =
  () => `# Groups: what tokens may use, and at which multiple of the base price.
groups:
  - name: default
    # What the plaza says about the group.
    description: All models
    # Names of the channels that its requests may go to.
    channels: [openai-main]
${settingsAtRest(groupSettings, '    ')}
# Base prices in USD per 1M tokens. A model without a price can't be called. Without a price of
# their own, cache_read and cache_write cost as input, cache_write_1h as cache_write.
prices:
  gpt-5-mini: { input: 0.25, output: 2, cache_read: 0.025 }
  fast: { input: 0.05, output: 0.4, cache_read: 0.005 }
  # With all kinds of price; with a tier: a request whose context is longer than 200000 tokens
  # costs the tier's prices as a whole; by call, in USD; and free on purpose. The price feed shows
  # the note. A context_window (known for models of the vendors' list) is how many tokens a model
  # can hold: what an upstream reports beyond it is not charged.
  #cached: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75, cache_write_1h: 6 }
  #long: { input: 1.25, output: 10, tiers: [{ above: 200000, input: 2.5, output: 15 }] }
  #small: { input: 0.2, output: 0.8, context_window: 32768 }
  #painter: { per_call: 0.04, note: up to 1024x1024 }
  # What is billed otherwise than as text: audio, images and video in USD per 1M tokens; tools that
  # the vendor runs in USD per 1,000 uses, or free; service tiers by what they multiply. What is left
  # out costs what the vendor's list says.
  #studio:
    #input: 2.5
    #output: 10
${Object.entries(modalityFields)
  .map(([name, { example }]) => `    #${name}: ${example}`)
  .join('\n')}
    #service_tiers: { flex: 0.5, priority: 2 }
    #tools:
      #web_search: 10
      #web_search_preview: 25
      #x_search: 5
      #web_fetch: free
      #url_context: free
      #code_execution: 30
      #file_search: 2.5
      #image_generation: 250
      #computer_use: free
      #maps_grounding: 25
      #mcp: free
      #tool_search: free
  #house-model: { free: true }
`

const accounts = (tokenKey: string) => `# Accounts: owners of tokens and of a balance.
accounts:
  - email: admin@example.com
    # admin may change everything, user only what is its own.
    role: admin
    password: \${ADMIN_PASSWORD}
    # The opening balance in USD: used once, when the account is created.
    balance: 100
${settingsAtRest(accountSettings, '    ')}    # API keys: what clients send.
    tokens:
      - name: first
        # Keep it secret: whoever has it spends the balance.
        key: ${tokenKey}
        group: default
${settingsAtRest(tokenFields, '        ')}`

/** Each field that may be left out, with what holds then or an example, and its sentence before it. */
function settingsAtRest(fields: object, indent: string): string {
  return Object.entries(fields as AtRest)
    .filter(([, { file }]) => OptionalKind in file)
    .map(
      ([key, field]) =>
        `${about(field, indent)}${indent}#${field.fileKey ?? key}: ${atRest(field)}\n`,
    )
    .join('')
}

const about = ({ file }: { readonly file: TSchema }, indent: string): string =>
  wrap(file.description ?? '', 100 - indent.length)
    .map((line) => `${indent}# ${line}\n`)
    .join('')

interface AtRest {
  readonly [key: string]: {
    readonly file: TSchema
    readonly fileKey?: string
    readonly example?: string
    readonly initial?: unknown
    readonly part?: AtRest
    toFile?(value: unknown): unknown
    fromFile?(): unknown
  }
}

function atRest({ example, part, initial, toFile, fromFile }: AtRest[string]): string {
  if (example !== undefined) return example
  if (part === undefined) {
    const usual = toFile?.(initial ?? fromFile?.()) ?? null
    return typeof usual === 'string' && /^\w+$/.test(usual) ? usual : JSON.stringify(usual)
  }
  const inner = Object.entries(part).map(([key, one]) => `${key}: ${atRest(one)}`)
  return `{ ${inner.join(', ')} }`
}

/** A sentence in lines of so many characters. */
const wrap = (text: string, width: number): readonly string[] =>
  text.match(new RegExp(`.{1,${width - 2}}(?= |$)`, 'g'))?.map((line) => line.trim()) ?? []
