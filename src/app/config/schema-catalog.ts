import { Type } from '@sinclair/typebox'
import { channelFields } from '../../resources/channel.ts'
import { groupFields } from '../../resources/group.ts'
import { fileProperties } from '../../resources/resource.ts'
import { flag, map, optional, text } from '../../resources/schema-parts.ts'

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
