import { Type } from '@sinclair/typebox'
import { formatNano, nanoDecimals, parseDecimal } from '../../billing/money.ts'
import { parseSizeBytes } from '../../lib/format.ts'
import { plain } from '../../resources/field.ts'
import { decimal, map, optional, text } from '../../resources/schema-parts.ts'
import { type Listen, parseListen, parseWorkers, sure } from '../../resources/values.ts'
import {
  countOf,
  limitOf,
  nameOf,
  openOf,
  type Settings,
  sizeOf,
  spanOf,
  switchOf,
  textOf,
  wordOf,
} from './setting-kinds.ts'

// What `site:` and `settings:` of the file say, once: each key with its name in the program, its schema
// and sentence, and what holds where it is left out. All else about them comes from here.

/** Where and how the process listens. */
export const serverFields = {
  listen: {
    ...plain<Listen>(),
    as: 'listen' as const,
    file: optional(
      text(
        'listen',
        'Address and port to listen on. 127.0.0.1 is for this machine only, 0.0.0.0 for everyone, [::] with IPv6 too. Port 0 takes any free one.',
      ),
    ),
    fromFile: (written = '127.0.0.1:8787'): Listen => sure(parseListen(written)),
  },
  trusted_proxies: {
    ...plain<readonly string[]>(),
    as: 'trustedProxies' as const,
    example: '[127.0.0.1, "::1"]',
    file: optional(
      Type.Array(text('block', 'Address or CIDR block of a proxy.'), {
        description:
          'Proxies in front of Tollgate, as addresses or CIDR blocks: only their X-Forwarded-For header is believed. Leave it empty without a proxy, else clients can pretend to have any address.',
      }),
    ),
    fromFile: (written: readonly string[] = []) => written,
  },
  max_body: sizeOf(
    'maxBodyBytes',
    '64MiB',
    'Largest request body that is accepted; of a compressed one, the decompressed size counts.',
  ),
  memory: openOf(
    'memoryBytes',
    '2GiB',
    text(
      'size',
      "How much memory the gateway may have, its workers and keeper in equal parts; left out: the container's limit, else half of the machine. What the program does not need itself is shared out: a body takes four times its length during its request, and more where it is translated. Without room a request waits a few seconds (longer with queue_time) and then gets 429; what never fits gets 413. Small bodies have a share of their own.",
    ),
    (size) => sure(parseSizeBytes(size)),
  ),
  workers: {
    ...plain<number | 'auto'>(),
    as: 'workers' as const,
    file: optional(
      decimal(
        'workers',
        'How many processes answer requests, beside one that keeps the data; 1: one process does both. auto: 1 on up to two cores, else one less than there are cores. More than 1 needs Linux, and 20 to 60 MB for each. Read at the start only.',
      ),
    ),
    fromFile: (written: number | string = 'auto'): number | 'auto' =>
      sure(parseWorkers(String(written))),
  },
  max_requests: limitOf(
    'maxRequests',
    '10000',
    'Requests under way at once, streams included; beyond them requests get 429. Left out: as many as there is memory for.',
  ),
  max_connections: limitOf(
    'maxConnections',
    '20000',
    'Connections at once, of clients and to upstreams; beyond them each is closed after its answer. Left out: 9 of 10 of the files that the process may open.',
  ),
  metrics: openOf(
    'metrics',
    '"127.0.0.1:9464"',
    text('listen', 'Address of a separate listener for /metrics; left out: there is none.'),
    (address) => sure(parseListen(address)),
  ),
  spool: textOf(
    'spool',
    'folder',
    './tollgate.db.spool',
    'Folder where this node keeps charges that the database does not take, until it does: an answer ends only when its charge is in one of them. Relative to this file; left out: beside the database file, with PostgreSQL tollgate.spool beside this file. Keep it when a container is replaced. off: none, and answers end with an error while the database is silent (PostgreSQL only).',
  ),
  shutdown_delay: spanOf(
    'shutdownDelayMs',
    '0s',
    'How long a stop (SIGTERM) still takes requests while /readyz says 503, so that a load balancer notices it before connections are refused; 0s: not at all.',
    'wait',
  ),
  shutdown_grace: spanOf(
    'shutdownGraceMs',
    '30s',
    'How long a stop (SIGTERM) lets open streams end; settling and closing take at most 24s more.',
  ),
}

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
  accent: textOf(
    'accent',
    'colour',
    '"#0b7285"',
    'Colour of links and buttons on the public pages and in the console. Where it would be hard to read, a darker or lighter shade of it is used.',
  ),
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
  front_page: textOf(
    'frontPage',
    'page-file',
    './front.md',
    'A front page of your own at /, in place of the usual one: Markdown (.md), or a whole page of HTML (.html). Scripts in it do not run. Relative to this file.',
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
    'Tokens that are reserved for an answer without a limit of its own; the actual usage replaces the reservation at its end.',
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
    'How long a request waits for its turn, in order of arrival, when a limit of its token, account or group is reached, or all its channels are at theirs; 0s: it is refused at once, with the time to retry.',
    'wait',
  ),
  channel_cooling: switchOf(
    'channelCooling',
    true,
    'Whether a channel that fails gets no requests for a while (cooldown), and returns automatically; otherwise it is retried at once.',
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
    'What becomes of requests that continue an answer (by its id) which this gateway has not given, or longer than 30 days ago: refused, refused where several accounts may use the channel, or passed on.',
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
  keep_responses_size: sizeOf(
    'keepResponsesBytes',
    '256MiB',
    'How much of them is kept, of all accounts together; the oldest go first.',
  ),
  responses_websocket: switchOf(
    'responsesWebsocket',
    true,
    'Whether GET /v1/responses takes WebSockets; otherwise clients are told to use POST (426).',
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
