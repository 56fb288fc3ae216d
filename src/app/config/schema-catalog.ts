import { Type } from '@sinclair/typebox'
import type { ModalityName } from '../../billing/extras.ts'
import { quirkNames, quirks } from '../../protocols/canonical/quirks.ts'
import { type HostedTool, hostedTools } from '../../protocols/canonical/tools.ts'
import { channelFields } from '../../resources/channel.ts'
import { groupFields } from '../../resources/group.ts'
import { fileProperties } from '../../resources/resource.ts'
import {
  decimal,
  flag,
  map,
  modelIds,
  onlyThese,
  optional,
  text,
  titledWords,
  words,
} from '../../resources/schema-parts.ts'

/** A model that a channel offers. */
export const ChannelModelEntry = Type.Union(
  [
    text('name', 'Model id, the same for clients and upstream.'),
    Type.Object(
      {
        id: text('name', 'What clients ask for.'),
        upstream: text('name', 'What the upstream calls it.'),
      },
      map,
    ),
  ],
  { description: 'A model id, or { id, upstream } when the upstream calls it otherwise.' },
)

const baseUrl = (protocol: string, example: string) =>
  optional(text('url', `Base URL for ${protocol}, as that vendor's SDK wants it: ${example}.`))

/** A call that nobody asked for, to learn how a channel is. */
const ProbeEntry = Type.Object(
  {
    every: text('duration', 'How often it is asked, at least 5s.'),
    model: optional(text('name', 'Which of its models is asked; left out: the first.')),
  },
  {
    ...map,
    description: 'Asks the channel now and then how it is, at your cost: { every, model }.',
  },
)

/** An upstream address with its credential. */
export const ChannelEntry = Type.Object(
  {
    name: text('name', 'Name of the channel, unique.'),
    enabled: flag('false: the channel is kept, but not used.'),
    drain: flag('true: what has begun there goes on there, but nothing new is sent to it.'),
    speaks: Type.Object(
      {
        chat: baseUrl('chat completions', 'https://api.openai.com/v1'),
        responses: baseUrl('responses', 'https://api.openai.com/v1'),
        messages: baseUrl('messages', 'https://api.anthropic.com'),
        gemini: baseUrl('Gemini', 'https://generativelanguage.googleapis.com'),
      },
      {
        ...map,
        minProperties: 1,
        description: 'The protocols it speaks, each with its base URL; at least one.',
      },
    ),
    api_key: optional(
      text('key', `The upstream's API key. \${NAME} reads the environment.`, { writeOnly: true }),
    ),
    api_keys: optional(
      Type.Array(text('key', "One of the upstream's API keys.", { writeOnly: true }), {
        minItems: 1,
        description: 'Several keys instead of api_key.',
      }),
    ),
    models: Type.Array(ChannelModelEntry, {
      minItems: 1,
      description: 'Models it offers: ids, or { id, upstream } to give one another name.',
    }),
    priority: optional(
      Type.Integer({
        minimum: -1_000_000,
        maximum: 1_000_000,
        description: 'Channels with a smaller number are asked first.',
      }),
    ),
    weight: optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: 'Share of the requests among channels of the same priority.',
      }),
    ),
    timeouts: optional(
      Type.Object(
        {
          connect: optional(text('duration', 'Time to connect.')),
          first_byte: optional(text('duration', 'Time until the first byte of the answer.')),
          idle: optional(text('duration', 'Longest silence within an answer.')),
          total: optional(text('duration', 'Time for the whole answer.')),
        },
        { ...map, description: 'How long to wait for the upstream.' },
      ),
    ),
    ...fileProperties(channelFields),
    proxy: optional(
      text(
        'proxy',
        `HTTP or HTTPS proxy that it is reached by, with a password if it asks for one. \${NAME} reads the environment.`,
        { writeOnly: true },
      ),
    ),
    probe: optional(ProbeEntry),
    quirks: optional(
      Type.Array(
        titledWords(quirkNames, (name) => quirks[name].title),
        {
          description: 'How its upstream differs from the vendor of a protocol that it speaks.',
        },
      ),
    ),
  },
  { ...map, description: 'An upstream address with its credential.' },
)

/** The channels and models that its tokens may use, with a rate multiplier. */
export const GroupEntry = Type.Object(
  {
    name: text('name', 'Name of the group, unique; compared byte for byte.'),
    description: optional(text('text', 'What the plaza says about the group.')),
    platform: optional(text('text', 'Platform word that the plaza shows, such as openai.')),
    rate_multiplier: optional(
      decimal('multiplier', 'Every price is multiplied by this; at most 6 decimals.'),
    ),
    channels: Type.Array(text('name', 'Name of a channel.'), {
      description: 'Names of the channels that its requests may go to.',
    }),
    models: modelIds(
      'Models of the group; empty: all its channels offer and that have a price.',
      'that its channels offer',
    ),
    long_context_pricing: flag('Whether the tiers of a price apply in this group.'),
    ...fileProperties(groupFields),
    accounts: onlyThese(text('email', 'E-mail of an account.'), {
      description: 'The accounts that may use it, by e-mail; left out: it is open to all.',
      whenEmpty: 'list the accounts ([] is nobody), or remove the key to open the group to all',
    }),
    tools: onlyThese(words(hostedTools, 'A tool that the vendor runs itself.'), {
      description:
        'Tools of the vendors that may be used; left out: all that have a price; empty: none.',
      whenEmpty: 'list the tools ([] is none), or remove the key for all that have a price',
    }),
  },
  { ...map, description: 'The channels and models that its tokens may use, with a multiplier.' },
)

const rates = {
  input: decimal('price', 'USD per 1M input tokens.'),
  output: decimal('price', 'USD per 1M output tokens.'),
  cache_read: optional(decimal('price', 'USD per 1M tokens read from a cache; else input.')),
  cache_write: optional(
    decimal('price', 'USD per 1M tokens written to a cache for 5 minutes; else input.'),
  ),
  cache_write_1h: optional(
    decimal('price', 'USD per 1M tokens written to a cache for 1 hour; else cache_write.'),
  ),
}

const others = (what: string) => optional(decimal('price', `USD per 1M tokens of ${what}.`))

/** Tokens that are no text. */
const modalities = {
  input_audio: others('audio in the input; else input'),
  input_image: others('images in the input; else input'),
  input_video: others('video in the input; else input'),
  cache_read_audio: others('audio read from a cache; else input_audio'),
  cache_read_image: others('images read from a cache; else input_image'),
  cache_read_video: others('video read from a cache; else input_video'),
  output_audio: others('audio in the answer'),
  output_image: others('images in the answer'),
  output_video: others('video in the answer'),
} satisfies Record<ModalityName, unknown>

const toolPrice = optional(
  decimal('tool-price', 'USD per 1,000 uses, or free; at most 6 decimals.'),
)

/** What is billed beside tokens and calls. */
const extras = {
  tools: optional(
    Type.Object(
      Object.fromEntries(hostedTools.map((tool) => [tool, toolPrice])) as Record<
        HostedTool,
        typeof toolPrice
      >,
      {
        ...map,
        description: "Tools that the vendor runs, in USD per 1,000 uses; else the vendor's price.",
      },
    ),
  ),
  service_tiers: optional(
    Type.Record(
      Type.String(),
      decimal('multiplier', 'By what it costs more, or less; at most 6 decimals.'),
      {
        description:
          "Service tiers and what tokens and calls are multiplied by in them; else the vendor's.",
      },
    ),
  ),
}

const note = optional(text('text', 'A remark on the price, shown in the feed.'))

/** A model's price: by token, by call, or free on purpose. */
export const PriceEntry = Type.Union(
  [
    Type.Object(
      {
        ...rates,
        ...modalities,
        tiers: optional(
          Type.Array(
            Type.Object(
              {
                above: Type.Integer({
                  minimum: 1,
                  maximum: Number.MAX_SAFE_INTEGER,
                  description: 'Context tokens above which the whole request costs these prices.',
                }),
                ...rates,
                ...modalities,
              },
              { ...map, description: 'Prices above a length of context.' },
            ),
            { description: 'Other prices for long contexts, in ascending order of above.' },
          ),
        ),
        context_window: optional(
          Type.Integer({
            minimum: 1,
            maximum: Number.MAX_SAFE_INTEGER,
            description: 'Tokens that the model can hold; usage reported above it is cut to it.',
          }),
        ),
        ...extras,
        note,
      },
      map,
    ),
    Type.Object(
      { per_call: decimal('usd', 'USD per call; at most 9 decimals.'), ...extras, note },
      map,
    ),
    Type.Object({ free: Type.Literal(true, { description: 'true: free on purpose.' }), note }, map),
  ],
  { description: 'A price: { input, output, … }, { per_call } or { free: true }.' },
)
