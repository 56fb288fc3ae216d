import { type TSchema, Type } from '@sinclair/typebox'
import { formatNano, nanoDecimals, parseDecimal } from '../../billing/money.ts'
import { formatDurationMs, formatSizeBytes, parseSizeBytes } from '../../lib/format.ts'
import { plain } from '../../resources/field.ts'
import { decimal, flag, map, optional, text, words } from '../../resources/schema-parts.ts'
import { parseWait, type ValueKind } from '../../resources/values.ts'
import { sure } from './sure.ts'

// What `site:` and `settings:` of the file say, once: each key with its name in the program, its schema
// and sentence, and what holds where it is left out. All else about them comes from here.

/** A setting, whatever its kind. */
interface AnySetting {
  /** Its name in the program. */
  readonly as: string
  readonly file: TSchema
  fromFile(written: unknown): unknown
  toFile(value: unknown): unknown
  /** What `tollgate init` shows of one that has no default. */
  readonly example?: string
}
export type Settings = Readonly<Record<string, AnySetting>>

const switchOf = <const As extends string>(as: As, usual: boolean, help: string) => ({
  ...plain<boolean>(),
  ...{ as, file: flag(help), fromFile: (written = usual) => written },
})

const countOf = <const As extends string>(as: As, usual: number, most: number, help: string) => ({
  ...plain<number>(),
  as,
  file: optional(Type.Integer({ minimum: 1, maximum: most, description: help })),
  fromFile: (written = usual) => written,
})

/** A span of time; a `wait` may be none. */
const spanOf = <const As extends string>(
  as: As,
  usual: string,
  help: string,
  reads: ValueKind = 'duration',
) => ({
  ...plain<number>(),
  ...{ as, file: optional(text(reads, help)) },
  fromFile: (written = usual): number => sure(parseWait(written)),
  toFile: (ms: number) => (ms === 0 ? '0s' : formatDurationMs(ms)),
})

const wordOf = <const As extends string, const Word extends string>(
  as: As,
  usual: Word,
  others: readonly Word[],
  help: string,
) => ({
  ...plain<Word>(),
  ...{ as, file: optional(words([usual, ...others], help)) },
  fromFile: (written: Word = usual): Word => written,
})

const nameOf = <const As extends string>(as: As, usual: string, help: string) => ({
  ...plain<string>(),
  ...{ as, file: optional(text('name', help)), fromFile: (written = usual) => written },
})

/** A text that may be left out; null: it is not set. */
const textOf = <const As extends string>(
  as: As,
  reads: ValueKind,
  example: string,
  help: string,
) => ({
  ...plain<string | null>(),
  ...{ as, example, file: optional(text(reads, help)) },
  fromFile: (written: string | null = null) => written,
})

/** Another address that users may want to know. */
const CustomEndpoint = Type.Object(
  {
    name: text('name', 'What the address is called.'),
    endpoint: text('url', 'The address.'),
    description: optional(text('text', 'What it is for.')),
  },
  { ...map, description: 'Another address: { name, endpoint, description }.' },
)

interface Endpoint {
  readonly name: string
  readonly endpoint: string
  /** May be empty. */
  readonly description: string
}

/** What public pages say about this gateway. */
export const siteFields = {
  name: nameOf('name', 'Tollgate', 'Name of this gateway, as the public pages show it.'),
  domain: textOf(
    'domain',
    'domain',
    'gateway.example.com',
    'Domain that the price feed names, without https://.',
  ),
  base_url: textOf('baseUrl', 'url', 'https://gateway.example.com', 'Address that clients use.'),
  overseas_base_url: textOf(
    'overseasBaseUrl',
    'url',
    'https://overseas.example.com',
    'Address for clients outside mainland China.',
  ),
  status_url: textOf(
    'statusUrl',
    'url',
    'https://status.example.com',
    'Address of the status page.',
  ),
  price_backup_url: textOf(
    'priceBackupUrl',
    'url',
    'https://backup.example.com/api/provider/pricing',
    'Second address of the price feed.',
  ),
  logo_url: textOf('logoUrl', 'url', 'https://gateway.example.com/logo.svg', 'Address of a logo.'),
  subtitle: textOf('subtitle', 'text', 'Models at list price', 'A line below the name.'),
  doc_url: textOf(
    'docUrl',
    'url',
    'https://docs.example.com',
    'Address of your documentation for users.',
  ),
  contact: textOf(
    'contact',
    'text',
    'support@example.com',
    'How users reach you, such as an e-mail address.',
  ),
  custom_endpoints: {
    ...plain<readonly Endpoint[]>(),
    as: 'customEndpoints' as const,
    example: '[{ name: Asia, endpoint: https://asia.example.com, description: Less delay }]',
    file: optional(
      Type.Array(CustomEndpoint, { description: 'Other addresses that the public settings name.' }),
    ),
    fromFile: (
      written: readonly (Omit<Endpoint, 'description'> & { description?: string })[] = [],
    ): readonly Endpoint[] =>
      written.map(({ name, endpoint, description = '' }) => ({ name, endpoint, description })),
  },
  plaza_description: textOf(
    'plazaDescription',
    'text',
    'Prices in USD, before the multiplier of the group.',
    'What the model plaza says about itself.',
  ),
}

/** Switches and figures of the whole gateway. */
export const settingFields = {
  registration_enabled: switchOf(
    'registrationEnabled',
    false,
    'Whether strangers may open an account.',
  ),
  balance_low_threshold: {
    ...plain<number>(),
    as: 'balanceLowThresholdNano' as const,
    file: optional(decimal('usd', 'Balance in USD below which an account counts as low.')),
    fromFile: (usd: string | number = 5): number => sure(parseDecimal(usd, nanoDecimals)),
    toFile: formatNano,
  },
  usual_output: countOf(
    'usualOutputTokens',
    4_096,
    1_000_000_000,
    'Tokens that an answer without a limit of its own is taken to use when money is set aside; what it does not use is free again at its end.',
  ),
  max_attempts: countOf(
    'maxAttempts',
    6,
    100,
    'How often a request is tried at most, on all channels and keys together.',
  ),
  retry_time: spanOf(
    'retryTimeMs',
    '120s',
    'How long after its first attempt a request is still tried elsewhere.',
  ),
  queue_time: spanOf(
    'queueTimeMs',
    '0s',
    'How long a request waits for its turn, in order of arrival, when a limit of its token, account or group is reached, or all its channels are at theirs; 0s: it is refused at once, and told when to come again.',
    'wait',
  ),
  channel_cooling: switchOf(
    'channelCooling',
    true,
    'Whether a channel that fails gets no requests for a while (cooldown). It comes back by itself. false: it is asked again at once.',
  ),
  feed_currency: nameOf(
    'feedCurrency',
    'CNY',
    'Currency word in the price feed; the numbers stay USD.',
  ),
  feed_interval: spanOf('feedIntervalMs', '120s', 'How often the price feed is rebuilt.'),
  models_list: wordOf(
    'modelsList',
    'all',
    ['token'],
    'Which models GET /v1/models lists: all, or only those that the asking token may use.',
  ),
  unknown_answers: wordOf(
    'unknownAnswers',
    'refuse_shared',
    ['refuse', 'pass'],
    'What becomes of requests that continue an answer (by its id) which nobody has got here, or longer than 30 days ago: refused, refused where several accounts may use the channel, or passed on.',
  ),
  country_header: textOf(
    'countryHeader',
    'header',
    'CF-IPCountry',
    'Header in which trusted proxies (server.trusted_proxies) tell a client’s country, such as CF-IPCountry; they must set it themselves, whatever the client sends. Regions of groups and accounts need it.',
  ),
  keep_responses: spanOf(
    'keepResponsesMs',
    '24h',
    'How long translated responses are kept (encrypted, unless their request says store: false), so that clients can continue and fetch them by their ids; 0s: not at all.',
    'wait',
  ),
  keep_responses_size: {
    ...plain<number>(),
    as: 'keepResponsesBytes' as const,
    file: optional(
      text('size', 'How much of them is kept, of all accounts together; the oldest go first.'),
    ),
    fromFile: (written = '256MiB'): number => sure(parseSizeBytes(written)),
    toFile: formatSizeBytes,
  },
  responses_websocket: switchOf(
    'responsesWebsocket',
    true,
    'Whether GET /v1/responses takes WebSockets; false: clients are told to use POST (426).',
  ),
  gemini_query_key: switchOf(
    'geminiQueryKey',
    false,
    'Whether /v1beta accepts a token in the query (?key=), where proxies may log it.',
  ),
  model_plaza_enabled: switchOf(
    'modelPlazaEnabled',
    true,
    'Whether there is a model plaza (GET /api/v1/model-plaza).',
  ),
  model_plaza_require_auth: switchOf(
    'modelPlazaRequireAuth',
    false,
    'Whether the model plaza asks for an API key.',
  ),
  plaza_groups: wordOf(
    'plazaGroups',
    'open',
    ['all'],
    'Which groups the public plaza and the status page show: those open to every account, or all.',
  ),
  feed_groups: wordOf(
    'feedGroups',
    'open',
    ['all'],
    'Which groups the price feed has: those open to every account, or all.',
  ),
}

/** The values of checked settings, with what holds where the file says nothing. */
export const readSettings = <const S extends object>(
  fields: S,
  written: object,
): SettingValues<S> =>
  Object.fromEntries(
    Object.entries(fields as Settings).map(([key, { as, fromFile }]) => [
      as,
      fromFile(Reflect.get(written, key)),
    ]),
  ) as SettingValues<S>

/** Settings in force, as the file would have them; null: not set. */
export const writtenSettings = (fields: object, values: object) =>
  Object.fromEntries(
    Object.entries(fields as Settings).map(([key, { as, toFile }]) => [
      key,
      toFile(Reflect.get(values, as)),
    ]),
  )

/** Settings as the program has them. */
export type SettingValues<S> = {
  readonly [K in keyof S as S[K] extends { readonly as: infer As extends string }
    ? As
    : never]: S[K] extends { fromFile: (...args: never) => infer Value } ? Value : never
}
