import { type Static, Type } from '@sinclair/typebox'
import { accountFields } from '../../resources/account.ts'
import { PriceEntry } from '../../resources/price.ts'
import { fileProperties } from '../../resources/resource.ts'
import { decimal, map, optional, text, words } from '../../resources/schema-parts.ts'
import { tokenFields } from '../../resources/token.ts'
import { ChannelEntry, GroupEntry } from './schema-catalog.ts'
import { serverFields, settingFields, siteFields } from './setting-fields.ts'

const ServerSection = Type.Object(fileProperties(serverFields), {
  ...map,
  description: 'Where and how the process listens.',
})

const storeUrl = text(
  'store',
  'The database: sqlite: and a path, relative to this file; or postgres://user:password@host/database, which several nodes may share.',
)

/** The database: an address, or a map with more to say. */
export const StoreSection = Type.Union(
  [
    storeUrl,
    Type.Object(
      {
        url: storeUrl,
        synchronous: optional(
          words(
            ['normal', 'full'],
            'Of SQLite. normal: survives a killed process. full: survives a power cut too, but is slower.',
          ),
        ),
      },
      map,
    ),
  ],
  { description: 'The database: an address, or { url, synchronous }.' },
)

const CountersEntry = text(
  'counters',
  'A Valkey or Redis in which all nodes count together, redis:// or rediss://, with a password if ' +
    'it asks for one. Left out: this node counts in its memory.',
)

const UpdatesEntry = text(
  'url',
  'Where to look at the start and once a day whether a newer release is out: the https:// address of a ' +
    'latest.json. Nothing is sent about this gateway. Left out: nothing is looked for.',
)

const SiteSection = Type.Object(fileProperties(siteFields), {
  ...map,
  description: 'What the public pages say about this gateway.',
})

const SettingsSection = Type.Object(fileProperties(settingFields), {
  ...map,
  description: 'Switches and figures of the whole gateway.',
})

/** How a provider knows this gateway. */
const providerClient = {
  client_id: text('key', 'What it calls this gateway.'),
  client_secret: text('key', `Its secret for this gateway. \${NAME} reads the environment.`, {
    writeOnly: true,
  }),
}
const namedProvider = {
  id: text('provider-id', 'Short name in addresses: BASE_URL/api/v1/auth/callback/ID.'),
  name: text('name', 'What its button says.'),
  ...providerClient,
  scopes: optional(
    Type.Array(text('key', 'Scope.'), {
      description: 'What it is asked to tell; left out: openid, email and profile of OIDC.',
    }),
  ),
}

const OidcEntry = Type.Object(
  {
    ...namedProvider,
    discovery_url: text('url', 'Address of its openid-configuration document.'),
  },
  { ...map, description: 'An OIDC provider to sign in with.' },
)

const OAuthEntry = Type.Object(
  {
    ...namedProvider,
    authorization_url: text('url', 'Where people sign in.'),
    token_url: text('url', 'Where a code becomes a token.'),
    profile_url: text('url', 'Where it shows, in JSON, who has signed in.'),
    emails_url: optional(text('url', 'Where it lists their e-mail addresses, as GitHub does.')),
  },
  { ...map, description: 'A provider of OAuth 2 without OIDC.' },
)

const knownEntry = (name: string) =>
  optional(Type.Object(providerClient, { ...map, description: `Signing in with ${name}.` }))

const SignInSection = Type.Object(
  {
    google: knownEntry('Google'),
    github: knownEntry('GitHub'),
    oidc: optional(
      Type.Array(OidcEntry, { description: 'OIDC providers that people may sign in with.' }),
    ),
    oauth: optional(
      Type.Array(OAuthEntry, { description: 'Providers of OAuth 2 that people may sign in with.' }),
    ),
  },
  { ...map, description: 'How people sign in to the console, beside their password.' },
)

const { name, ...others } = fileProperties(tokenFields)

/** An API key of an account. */
export const TokenEntry = Type.Object(
  {
    name,
    key: text('token-key', 'The key that clients send; begins with sk-.', { writeOnly: true }),
    ...others,
  },
  { ...map, description: 'An API key of the account.' },
)

const AccountEntry = Type.Object(
  {
    email: text('email', 'E-mail address, unique.'),
    ...fileProperties(accountFields),
    password: optional(
      text(
        'password',
        `Password for the console; another one removes passkeys and linked providers. \${NAME} reads the environment.`,
        {
          writeOnly: true,
        },
      ),
    ),
    balance: optional(
      decimal('usd', 'Opening balance in USD: used once, when the account is created.'),
    ),
    tokens: optional(Type.Array(TokenEntry, { description: 'API keys of the account.' })),
  },
  { ...map, description: 'Owner of tokens and of a balance.' },
)

/** The whole tollgate.yaml. `reads` says how a text is read, `writeOnly` marks what is secret. */
export const ConfigFile = Type.Object(
  {
    server: optional(ServerSection),
    store: optional(StoreSection),
    counters: optional(CountersEntry),
    updates: optional(UpdatesEntry),
    site: optional(SiteSection),
    settings: optional(SettingsSection),
    sign_in: optional(SignInSection),
    channels: optional(
      Type.Array(ChannelEntry, { description: 'Upstreams that requests are forwarded to.' }),
    ),
    groups: optional(
      Type.Array(GroupEntry, { description: 'What tokens may use, and at which multiplier.' }),
    ),
    prices: optional(
      Type.Record(Type.String(), PriceEntry, {
        description: 'Base prices by model, in USD per 1M tokens.',
      }),
    ),
    accounts: optional(Type.Array(AccountEntry, { description: 'Accounts with their tokens.' })),
  },
  { ...map, title: 'tollgate.yaml', description: 'Configuration of Tollgate.' },
)
export type ConfigFile = Static<typeof ConfigFile>
