import { Type } from '@sinclair/typebox'
import type { ModalityName } from '../../billing/extras.ts'
import { type HostedTool, hostedTools } from '../../protocols/canonical/tools.ts'
import { channelFields } from '../../resources/channel.ts'
import { groupFields } from '../../resources/group.ts'
import { fileProperties } from '../../resources/resource.ts'
import { decimal, flag, map, optional, text } from '../../resources/schema-parts.ts'

/** An upstream address with its credential. */
export const ChannelEntry = Type.Object(
  {
    name: text('name', 'Name of the channel, unique.'),
    enabled: flag('false: the channel is kept, but not used.'),
    drain: flag('true: what has begun there goes on there, but nothing new is sent to it.'),
    ...fileProperties(channelFields),
    api_key: optional(
      text('key', `The upstream's API key. \${NAME} reads the environment.`, { writeOnly: true }),
    ),
    api_keys: optional(
      Type.Array(text('key', "One of the upstream's API keys.", { writeOnly: true }), {
        minItems: 1,
        description: 'Several keys instead of api_key.',
      }),
    ),
    proxy: optional(
      text(
        'proxy',
        `HTTP or HTTPS proxy that it is reached by, with a password if it asks for one. \${NAME} reads the environment.`,
        { writeOnly: true },
      ),
    ),
  },
  { ...map, description: 'An upstream address with its credential.' },
)

/** The channels and models that its tokens may use, with a rate multiplier. */
export const GroupEntry = Type.Object(
  {
    name: text('name', 'Name of the group, unique; compared byte for byte.'),
    ...fileProperties(groupFields),
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
