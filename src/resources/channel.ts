import { type Static, Type } from '@sinclair/typebox'
import { formatDurationMs } from '../lib/format.ts'
import { quirkNames, quirks } from '../protocols/canonical/quirks.ts'
import type { ChannelModel, ChannelProbe, ProtocolBases } from '../store/ports/catalog.ts'
import { stored } from './field.ts'
import { durationField, integerField, partColumn, switchField } from './kinds.ts'
import { limitsPart } from './limits.ts'
import { unordered, wordsField } from './list-kinds.ts'
import { type Columns, fileProperties, type Values } from './resource.ts'
import { map, optional, orNull, text } from './schema-parts.ts'
import { parseDuration } from './values.ts'

const baseUrl = (protocol: string, example: string) =>
  optional(text('url', `Base URL for ${protocol}, as that vendor's SDK wants it: ${example}.`))

const base = Type.String({ maxLength: 2_000 })
const speaksHelp = 'The protocols it speaks, each with its base URL; at least one.'
const Speaks = Type.Partial(
  Type.Object({ chat: base, responses: base, messages: base, gemini: base }),
  // Unknown protocols are kept, so that the rules can refuse them.
  { additionalProperties: base, description: speaksHelp },
)

const timeoutFields = {
  connect: durationField({
    ...{ as: 'connectMs', usual: '10s', title: 'Time to connect' },
    help: 'Time to connect.',
  }),
  first_byte: durationField({
    ...{ as: 'firstByteMs', usual: '300s', title: '… to first byte' },
    help: 'Time until the first byte of the answer.',
  }),
  idle: durationField({
    ...{ as: 'idleMs', usual: '120s', title: '… of silence' },
    help: 'Longest silence within an answer.',
  }),
  total: durationField({
    ...{ as: 'totalMs', usual: '3600s', title: '… in all' },
    help: 'Time for the whole answer.',
  }),
}
const timeoutsHelp = 'How long to wait for the upstream.'

const ModelEntry = Type.Union(
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
type ModelEntry = Static<typeof ModelEntry>

const entryOfModel = ({ id, upstream }: { id: string; upstream?: string | undefined }) =>
  upstream === undefined || upstream === '' || upstream === id ? id : { id, upstream }

/** A health probe of a channel. */
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
const Probe = orNull(
  Type.Object({ every: Type.String(), model: Type.Optional(orNull(Type.String())) }),
)

/** A channel. Its name, keys, proxy and status are no fields: keys and proxy are sealed and never shown. */
export const channelFields = {
  speaks: {
    ...stored<ProtocolBases>(),
    ...{ as: 'speaks' as const, column: 'speaks' as const, help: speaksHelp },
    initial: {},
    file: Type.Object(
      {
        chat: baseUrl('chat completions', 'https://api.openai.com/v1'),
        responses: baseUrl('responses', 'https://api.openai.com/v1'),
        messages: baseUrl('messages', 'https://api.anthropic.com'),
        gemini: baseUrl('Gemini', 'https://generativelanguage.googleapis.com'),
      },
      { ...map, minProperties: 1, description: speaksHelp },
    ),
    ...{ view: Speaks, patch: Speaks },
    fromFile: (written: ProtocolBases): ProtocolBases => ({ ...written }),
    toView: (bases: ProtocolBases) => ({ ...bases }),
    text: (bases: ProtocolBases) => bases,
  },
  models: {
    ...stored<readonly ChannelModel[]>(),
    ...{ as: 'models' as const, column: 'models' as const, help: 'Models that it offers.' },
    initial: [],
    file: Type.Array(ModelEntry, {
      minItems: 1,
      description: 'Models it offers: ids, or { id, upstream } to give one another name.',
    }),
    view: Type.Array(Type.Object({ id: Type.String(), upstream: Type.String() })),
    patch: Type.Array(Type.Object({ id: Type.String(), upstream: Type.Optional(Type.String()) }), {
      maxItems: 20_000,
    }),
    fromFile: (written: readonly ModelEntry[]): readonly ChannelModel[] =>
      written.map((model) => (typeof model === 'string' ? { id: model, upstream: model } : model)),
    toFile: (models: readonly ChannelModel[]) => models.map(entryOfModel),
    toCell: (models: readonly ChannelModel[]) =>
      JSON.stringify(models.map(({ id, upstream }) => ({ id, upstream }))),
    toView: (models: readonly ChannelModel[]) =>
      models.map(({ id, upstream }) => ({ id, upstream })),
    toWritten: (given: unknown) => (given as ChannelModel[]).map(entryOfModel),
    text: (models: readonly ChannelModel[]) => unordered(models.map(entryOfModel)),
  },
  priority: integerField({
    ...{ as: 'priority', column: 'priority', usual: 0, minimum: -1_000_000, maximum: 1_000_000 },
    ...{ title: 'Priority', isListed: true, isRight: true, isAlwaysSaid: true },
    help: 'Channels with a smaller number are asked first.',
    flag: { name: '--priority', value: '<number>', help: 'smaller is asked first', usual: '0' },
  }),
  weight: integerField({
    ...{ as: 'weight', column: 'weight', usual: 1, minimum: 1, maximum: 1_000_000 },
    ...{ title: 'Weight', isListed: true, isRight: true, isAlwaysSaid: true },
    help: 'Share of the requests among channels of the same priority.',
    flag: {
      ...{ name: '--weight', value: '<number>', usual: '1' },
      help: 'share among channels of one priority',
    },
  }),
  timeouts: partColumn({
    ...{ as: 'timeouts', column: 'timeouts', help: timeoutsHelp, part: timeoutFields },
    file: optional(
      Type.Object(fileProperties(timeoutFields), { ...map, description: timeoutsHelp }),
    ),
  }),
  limits: limitsPart('Limits of the channel: at them, other channels are asked.'),
  quirks: wordsField(
    {
      ...{ as: 'quirks', column: 'quirks', title: 'Quirks', isListed: true },
      help: 'How its upstream differs from the vendor of a protocol that it speaks.',
      flag: {
        ...{ name: '--quirk', value: '<name...>' },
        help: `how it differs from a protocol's vendor: ${quirkNames.join(', ')}`,
      },
    },
    quirkNames,
    (name) => quirks[name].title,
  ),
  allow_private: switchField({
    ...{ as: 'allowPrivate', column: 'allow_private', title: 'Private address' },
    ...{ yes: 'allowed', none: 'refused' },
    help: 'true for an upstream on this machine or a private network.',
    flag: { name: '--allow-private', help: 'its address may be on this machine or network' },
  }),
  probe: {
    ...stored<ChannelProbe | null>(),
    ...{ as: 'probe' as const, column: 'probe' as const },
    example: '{ every: 60s, model: gpt-5-mini }',
    help: 'A call to it now and then, to learn how it is; null: it is not probed.',
    initial: null,
    file: optional(ProbeEntry),
    ...{ view: Probe, patch: Probe },
    fromFile: (written?: Static<typeof ProbeEntry>): ChannelProbe | null =>
      written ? { everyMs: parseDuration(written.every) ?? 0, model: written.model ?? null } : null,
    toFile: (probe: ChannelProbe | null) =>
      probe && {
        every: formatDurationMs(probe.everyMs),
        ...(probe.model && { model: probe.model }),
      },
    toCell: (probe: ChannelProbe | null): string | null =>
      probe && JSON.stringify({ everyMs: probe.everyMs, model: probe.model }),
    toReport: (probe: ChannelProbe | null) =>
      probe && { every_ms: probe.everyMs, model: probe.model },
    toView: (probe: ChannelProbe | null) =>
      probe && { every: formatDurationMs(probe.everyMs), model: probe.model },
    toWritten: (given: unknown) => {
      const { every, model } = given as { every: string; model?: string | null }
      return { every, ...(model && { model }) }
    },
    text: (probe: ChannelProbe | null): { readonly [name: string]: string } =>
      probe ? { every: formatDurationMs(probe.everyMs), model: String(probe.model) } : {},
  },
}

export interface ChannelValues extends Values<typeof channelFields> {}
export interface ChannelColumns extends Columns<typeof channelFields> {}
